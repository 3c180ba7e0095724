/** Who may call which endpoint, as a table. */

import { plural } from '../../compiler/diagnostics/words/plural.ts';
import type { AccessRow } from '../../compiler/difference/access-matrix.ts';
import type { Access } from '../../compiler/difference/difference.ts';
import { type Html, html } from './html.ts';

export function accessPart(rows: readonly AccessRow[]): Html {
  const open = rows.filter(({ anonymous }) => anonymous === 'yes').length;
  return html`<section id="access-matrix"><h2>Who may call what</h2>
<p class="lead">${plural(rows.length, 'endpoint')}, ${open} of them open to everybody.</p>
<table class="stacked"><thead><tr><th>Endpoint</th><th>Anonymous</th><th>Signed in</th><th>Rule</th></tr></thead><tbody>
${rows.map(rowOf)}</tbody></table></section>`;
}

function rowOf({ endpoint, anonymous, signedIn, access }: AccessRow): Html {
  return html`<tr><td><code>${endpoint}</code></td><td>${answer('Anonymous', anonymous)}</td><td>${answer('Signed in', signedIn)}</td><td>${ruleOf(access)}</td></tr>
`;
}

function ruleOf({ says, shows }: Access): Html {
  const filter =
    shows === undefined ? null : html`<br><span class="soft small">shows where</span> <code>${shows}</code>`;
  return html`<code>${says}</code>${filter}`;
}

/** On a phone the head of the table is not there, so each cell says what it is about. */
function answer(of: string, given: AccessRow['anonymous']): Html {
  const says = given === 'condition' ? 'by the rule' : given;
  return html`<span class="phone">${of}: </span>${given === 'no' ? html`<span class="soft">no</span>` : says}`;
}
