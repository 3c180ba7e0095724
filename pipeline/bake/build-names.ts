/** Why there is no release: a sentence, and what is shown with it, such as diagnostics. */
export class BuildRefusal extends Error {
  override readonly name = 'BuildRefusal';
  readonly shown: string;

  constructor(message: string, shown = '') {
    super(message);
    this.shown = shown;
  }
}

// ── Trailer keys ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The names of the commit trailers that a release understands.

/** Gives the reason for breaking changes of the API: `Breaking: <reason>`. */
export const BREAKING = 'Breaking';

/** Gives the reason for rules of access that let more callers in: `Access: <reason>`. */
export const ACCESS = 'Access';

/** Gives a release up that a database cannot complete: `Withdraws: <revision>`. */
export const WITHDRAWS = 'Withdraws';

// ── Kiln version ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The build defines it, in scripts/build.mjs.
declare const KILN_VERSION: string | undefined;

export const kilnVersion = typeof KILN_VERSION === 'undefined' ? 'development' : KILN_VERSION;

// ── Image tags ───────────────────────────────────────────────────────────────────────────────────────────────────────

const LONGEST = 128;

/** The default tags of the image of a release: one for its revision, and one for its branch. */
export function imageTags(revision: string, branch: string) {
  return { revision: revision.slice(0, 12), branch: tagFromBranch(branch) };
}

/** Names an image that has no other name yet: an image without a name may be pruned. */
export function untestedName(application: string, revision: string): string {
  return `${application}:untested-${revision.slice(0, 12)}`;
}

/** A tag has letters, digits, `_`, `.` and `-`, and begins with none of the last two. */
function tagFromBranch(branch: string): string {
  const tag = branch.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[.-]+/, '');
  return tag.slice(0, LONGEST) || 'branch';
}
