/** Git, or the repository, cannot do what Kiln needs. The message is a sentence for the user, without a full stop. */
export class GitRefusal extends Error {
  readonly kind: GitRefusalKind;

  constructor(kind: GitRefusalKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

type GitRefusalKind =
  | 'git-missing'
  | 'git-too-old'
  | 'not-a-repository'
  | 'foreign-repository'
  | 'unknown-revision'
  | 'shallow'
  | 'missing-object'
  | 'damaged-object'
  | 'too-large'
  | 'bad-name'
  | 'bad-settings'
  | 'failed';

const UNSHALLOW = 'run `git fetch --unshallow`, or set `fetch-depth: 0` where a CI job checks it out';

export function shallowRefusal(why: string): GitRefusal {
  return new GitRefusal('shallow', `this is a shallow clone, so ${why}; ${UNSHALLOW}`);
}

/** `act` goes on from "git cannot". */
export function gitFailure(act: string, stderr: string): GitRefusal {
  return new GitRefusal('failed', `git cannot ${act}: ${reasonIn(stderr)}`);
}

/** The first line that git marks as the error, in the words that Kiln has for it. */
function reasonIn(stderr: string): string {
  if (stderr.includes('No space left on device')) return 'the disk is full';
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((each) => /^(fatal|error): /.test(each)) ?? lines[0] ?? 'it does not say why';
  return line.replace(/^(fatal|error): /, '').replace(/\.$/, '');
}
