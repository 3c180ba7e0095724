/**
 * The message of a release's commit: a line for people, then the facts as trailers, for
 * `git log --format='%(trailers:key=Revision)'`. No branch is in it, so branches can share a release.
 */
import type { Commit } from '../git/commit.ts';

interface ReleaseFacts {
  readonly revision: string;
  /** The fingerprint of the schema. */
  readonly schema: string;
}

const LONGEST_SUBJECT = 100;

export function releaseMessage({ revision, subject }: Commit, schema: string): string {
  const line = shortened(subject.replace(/\p{Cc}/gu, ' ').trim());
  const title = `Release ${revision.slice(0, 12)}${line === '' ? '' : `: ${line}`}`;
  return `${title}\n\nRevision: ${revision}\nSchema: ${schema}\n`;
}

/** Nothing where it is not the message of a release. */
export function factsFromMessage(message: string): ReleaseFacts | undefined {
  const [, revision, schema] =
    /^Release [^\n]*\n\nRevision: ([0-9a-f]{40,64})\nSchema: ([^\n]+)\n$/.exec(message) ?? [];
  return revision && schema ? { revision, schema } : undefined;
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST_SUBJECT ? text : `${characters.slice(0, LONGEST_SUBJECT - 1).join('')}…`;
}
