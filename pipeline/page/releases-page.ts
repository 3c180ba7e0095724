/** All releases of all branches, with what is live where, a search, and a form to compare two of them. */
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import type { BuildRecord } from '../bake/build-record.ts';
import { tag } from './difference-page.ts';
import { framed, type Html, html, type Part } from './frame.ts';
import { outcomeTag, timeText } from './report-page.ts';

export interface ListedRelease {
  readonly branch: string;
  /** The number on its branch, from 1. */
  readonly number: number;
  readonly revision: string;
  readonly subject: string;
  readonly committed: string;
  readonly outcome: BuildRecord['outcome'] | null;
  readonly breaking: number;
  readonly weaker: number;
  /** Verdicts of its test that were not good. */
  readonly warned: number;
  /** The environments where it is live. */
  readonly live: readonly string[];
}

interface LiveRelease {
  readonly environment: string;
  readonly revision: string;
  readonly branch: string;
  readonly when: string;
  readonly who: string;
}

/** A model or an endpoint, and the releases in which something became of it. */
export interface FoundThing {
  readonly kind: 'model' | 'endpoint';
  readonly name: string;
  readonly events: readonly { readonly release: ListedRelease; readonly change: 'added' | 'changed' | 'removed' }[];
}

export interface ReleasesPageInput {
  readonly application: string;
  /** The releases, newest first. */
  readonly releases: readonly ListedRelease[];
  readonly live: readonly LiveRelease[];
  /** The branch that is shown; null for all of them. */
  readonly branch: string | null;
  readonly search: { readonly words: string; readonly found: readonly FoundThing[]; readonly more: number } | null;
}

export function releasesPage(input: ReleasesPageInput): string {
  const { application, releases, live, search, branch } = input;
  const shown = branch === null ? releases : releases.filter((release) => release.branch === branch);
  const body = html`<header class="top">
<p class="kind">Releases</p>
<h1>${application}</h1>
${searchForm(input)}
</header>
<main>
${search === null ? null : foundPart(search)}
${live.length === 0 ? null : livePart(live)}
${releases.length < 2 ? null : comparePart(releases)}
<section id="releases"><h2>${branch === null ? 'All releases' : `Releases of ${branch}`}</h2>
${shown.length === 0 ? html`<p class="lead">There are none yet.</p>` : releasesTable(shown)}
</section>
</main>`;
  return framed({ title: `${application}: releases`, body, hasForms: true });
}

/** The link back to the list, for the other pages. */
export function backLink(application: string): Html {
  return html`<nav class="back"><a href="/">All releases of ${application}</a></nav>`;
}

function releaseAddress({ branch, revision }: Pick<ListedRelease, 'branch' | 'revision'>): string {
  return `/release/${revision}?branch=${encodeURIComponent(branch)}`;
}

function searchForm({ releases, branch, search }: ReleasesPageInput): Html {
  const branches = [...new Set(releases.map((release) => release.branch))].toSorted();
  const choices = branches.map((name) => option(name, name, name === branch));
  return html`<form method="get" action="/">
<label>Model or endpoint<input type="search" name="q" value="${search?.words ?? ''}" placeholder="Post, /api/post"></label>
<label>Branch<select name="branch">${option('', 'all', branch === null)}${choices}</select></label>
<button>Search</button></form>`;
}

function option(value: string, text: string, isChosen: boolean): Html {
  return html`<option value="${value}"${isChosen ? html` selected` : null}>${text}</option>`;
}

function livePart(live: readonly LiveRelease[]): Html {
  const rows = live.map(
    ({ environment, revision, branch, when, who }) =>
      html`<tr><td><b>${environment}</b></td><td><a href="${releaseAddress({ branch, revision })}"><code>${revision.slice(0, 12)}</code></a></td><td>${branch}</td><td>${phone('since')}${timeText(when)}</td><td>${phone('by')}${who}</td></tr>\n`,
  );
  return html`<section id="live"><h2>What is live</h2>
<table class="stacked"><thead><tr><th>Environment</th><th>Release</th><th>Branch</th><th>Since</th><th>By</th></tr></thead><tbody>
${rows}</tbody></table></section>`;
}

/** Labels a cell on a phone, in place of the head of the table. */
function phone(word: string): Html {
  return html`<span class="phone">${word} </span>`;
}

function releasesTable(releases: readonly ListedRelease[]): Html {
  return html`<table class="stacked"><thead><tr><th>Release</th><th>Verdicts</th><th>Committed</th></tr></thead><tbody>
${releases.map(rowOf)}</tbody></table>`;
}

function rowOf(release: ListedRelease): Html {
  const { branch, number, revision, subject, committed } = release;
  return html`<tr><td><a href="${releaseAddress(release)}">${subject === '' ? revision.slice(0, 12) : subject}</a><br><span class="soft small">${branch} ${number} · <code>${revision.slice(0, 12)}</code></span></td><td>${verdictTags(release)}</td><td class="small soft">${timeText(committed)}</td></tr>
`;
}

function verdictTags({ outcome, breaking, weaker, warned, live }: ListedRelease): Part {
  const tags = [
    ...(weaker > 0 ? [tag(`${weaker} weaker`, 'bad')] : []),
    ...(breaking > 0 ? [tag(`${breaking} breaking`, 'bad')] : []),
    ...(warned > 0 ? [tag(plural(warned, 'warning'), 'warned')] : []),
    outcomeTag(outcome),
    ...live.map((environment) => tag(`live in ${environment}`, 'plain')),
  ];
  return tags.map((each) => html`${each} `);
}

function comparePart(releases: readonly ListedRelease[]): Html {
  const choices = (chosen: number): readonly Html[] =>
    releases.map(({ branch, number, revision, subject }, at) =>
      option(revision, `${branch} ${number}: ${subject.slice(0, 60)}`, at === chosen),
    );
  return html`<section id="compare"><h2>Compare two releases</h2>
<form method="get" action="/difference">
<label>From<select name="from">${choices(1)}</select></label>
<label>To<select name="to">${choices(0)}</select></label>
<button>Compare</button></form></section>`;
}

function foundPart({ words, found, more }: NonNullable<ReleasesPageInput['search']>): Html {
  const content =
    found.length === 0
      ? html`<p class="lead">No release has a model or an endpoint of this name.</p>`
      : html`${found.map(foundThing)}${more > 0 ? html`<p class="lead">And ${more} more: search for a longer name.</p>` : null}`;
  return html`<section id="found"><h2>Found for “${words}”</h2>${content}</section>`;
}

/** The number of events that are shown: most people look for the latest. */
const SHOWN_EVENTS = 8;

function foundThing({ kind, name, events }: FoundThing): Html {
  const [late, early] = [events.slice(0, SHOWN_EVENTS), events.slice(SHOWN_EVENTS)];
  const rest =
    early.length === 0
      ? null
      : html`<details><summary>${plural(early.length, 'earlier release')}</summary>${eventLines(early)}</details>`;
  return html`<div class="part"><h3><code>${name}</code> <span class="soft small">${kind}</span></h3>${eventLines(late)}${rest}</div>`;
}

function eventLines(events: FoundThing['events']): Html {
  const lines = events.map(({ release, change }) => {
    const title = release.subject === '' ? release.revision.slice(0, 12) : release.subject;
    return html`<li><div>${tag(change, 'plain')}</div><div class="says"><a href="${releaseAddress(release)}">${title}</a> <span class="soft small">${release.branch} ${release.number} · ${timeText(release.committed)}</span></div></li>\n`;
  });
  return html`<ul class="lines">${lines}</ul>`;
}
