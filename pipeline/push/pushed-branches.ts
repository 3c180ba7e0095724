/** What git tells its hooks about a push: a line for each reference, with where it was and where it goes. */
export interface PushedBranch {
  readonly branch: string;
  /** Null where the branch is new. */
  readonly from: string | null;
  readonly to: string;
}

/** Tags, other references and branches that go away are left out, and all branches that are not to be built. */
export function pushedBranches(text: string, built: readonly string[]): readonly PushedBranch[] {
  return branchesIn(text).filter(({ branch }) => built.includes(branch));
}

/** One line for the branches of a push that are not built; null where there are none. */
export function notBuiltText(text: string, built: readonly string[]): string | null {
  const others = branchesIn(text).flatMap(({ branch }) => (built.includes(branch) ? [] : [`\`${branch}\``]));
  if (others.length === 0) return null;
  const names = built.map((branch) => `\`${branch}\``).join(', ');
  return `${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} not built: this repository builds ${names}`;
}

function branchesIn(text: string): readonly PushedBranch[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap(branchFromLine);
}

function branchFromLine(line: string): readonly PushedBranch[] {
  const [, from = '', to = '', branch] = /^(\S+) (\S+) refs\/heads\/(.+)$/.exec(line) ?? [];
  if (branch === undefined || idOrNull(to) === null) return [];
  return [{ branch, from: idOrNull(from), to }];
}

/** Git writes zeros where there is no object. */
export function idOrNull(id: string): string | null {
  return /^0+$/.test(id) ? null : id;
}
