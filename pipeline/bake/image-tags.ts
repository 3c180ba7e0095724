/** What the image of a release is called unless it is told: after its revision, and after the branch that it is on. */
interface ImageTags {
  readonly revision: string;
  readonly branch: string;
}

const LONGEST = 128;

export function imageTags(revision: string, branch: string): ImageTags {
  return { revision: revision.slice(0, 12), branch: tagFromBranch(branch) };
}

/** Of an image that has no other name yet: one without any may be pruned. */
export function untestedName(application: string, revision: string): string {
  return `${application}:untested-${revision.slice(0, 12)}`;
}

/** A tag has letters, digits, `_`, `.` and `-`, and begins with none of the last two. */
function tagFromBranch(branch: string): string {
  const tag = branch.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[.-]+/, '');
  return tag.slice(0, LONGEST) || 'branch';
}
