import type { PlacedDifference } from '../difference/placed-difference.ts';
import { differenceParts, loudParts } from './difference-parts.ts';
import { framed } from './frame.ts';
import { html } from './html.ts';

export interface DifferencePageInput {
  readonly application: string;
  /** How each side is called: a release, a revision, an image or the work tree. */
  readonly from: string;
  readonly to: string;
  readonly difference: PlacedDifference;
}

/** One self-contained page of HTML. */
export function differencePage({ application, from, to, difference }: DifferencePageInput): string {
  const body = html`<header class="top">
<p class="kind">${application} · difference</p>
<h1>${from} <span class="arrow">→</span> ${to}</h1>
</header>
<main>
${loudParts(difference)}
<section id="difference"><h2>What changes</h2>
${differenceParts(difference)}
</section>
</main>`;
  return framed({ title: `${application}: ${from} → ${to}`, body });
}
