/** Who may call which endpoint, as a table. */

import { plural } from '../../compiler/diagnostics/words/plural.ts';
import type { Access } from '../../compiler/difference/difference.ts';
import { type Html, html } from './html.ts';

/** Whether a caller is let in. */
type Answer = 'yes' | 'no' | 'condition';

export interface AccessTableRow {
  /** `GET /api/post/{post_slug}`. */
  readonly endpoint: string;
  readonly anonymous: Answer;
  readonly signedIn: Answer;
  readonly access: Access;
}

export function accessPart(rows: readonly AccessTableRow[]): Html {
  const open = rows.filter(({ anonymous }) => anonymous === 'yes').length;
  return html`<section id="access-matrix"><h2>Who may call what</h2>
<p class="lead">${plural(rows.length, 'endpoint')}, ${open} of them open to everybody.</p>
<table class="stacked"><thead><tr><th>Endpoint</th><th>Anonymous</th><th>Signed in</th><th>Rule</th></tr></thead><tbody>
${rows.map(rowOf)}</tbody></table></section>`;
}

function rowOf({ endpoint, anonymous, signedIn, access }: AccessTableRow): Html {
  return html`<tr><td><code>${endpoint}</code></td><td>${answer('Anonymous', anonymous)}</td><td>${answer('Signed in', signedIn)}</td><td><code>${access.says}</code></td></tr>
`;
}

/** On a phone the head of the table is not there, so each cell says what it is about. */
function answer(of: string, given: Answer): Html {
  const says = given === 'condition' ? 'by the rule' : given;
  return html`<span class="phone">${of}: </span>${given === 'no' ? html`<span class="soft">no</span>` : says}`;
}
