import type { Definition } from '../../compiler/definition/definition.ts';
import type { PlacedDifference } from '../difference/placed-difference.ts';
import { differenceParts, loudParts } from './difference-parts.ts';
import { framed } from './frame.ts';
import { type Html, html } from './html.ts';
import { modelsPart } from './models-part.ts';

export interface DifferencePageInput {
  readonly application: string;
  /** How each side is called: a release, a revision, an image or the work tree. */
  readonly from: string;
  readonly to: string;
  readonly difference: PlacedDifference;
  /** For a diagram of the models, with what changed. */
  readonly definitions?: { readonly before: Definition; readonly after: Definition };
  /** Before all else, on a page that is served. */
  readonly way?: Html;
}

/** One self-contained page of HTML. */
export function differencePage(input: DifferencePageInput): string {
  const { application, from, to, difference, definitions, way = null } = input;
  const body = html`<header class="top">
${way}<p class="kind">${application} · difference</p>
<h1>${from} <span class="arrow">→</span> ${to}</h1>
</header>
<main>
${loudParts(difference)}
<section id="difference"><h2>What changes</h2>
${differenceParts(difference)}
</section>
${definitions === undefined ? null : modelsSection(definitions)}
</main>`;
  return framed({ title: `${application}: ${from} → ${to}`, body });
}

function modelsSection({ before, after }: NonNullable<DifferencePageInput['definitions']>): Html {
  return html`<section id="models"><h2>Models</h2>${modelsPart(before, after)}</section>`;
}
