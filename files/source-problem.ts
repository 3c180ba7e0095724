/**
 * Why sources could not be read. `usage` problems are about the path that was given, `environment` ones about the
 * machine, and `content` ones about files that the author has to change.
 */
export interface SourceProblem {
  readonly kind: SourceProblemKind;
  readonly cause: 'usage' | 'environment' | 'content';
  /** Relative to the project's folder; as it was given, where the problem is about that folder itself. */
  readonly path: string;
  /** One sentence without a full stop. */
  readonly message: string;
}

type SourceProblemKind =
  | 'missing'
  | 'not-a-folder'
  | 'nothing-to-read'
  | 'unreadable'
  | 'not-utf8'
  | 'nul-byte'
  | 'too-large'
  | 'broken-link'
  | 'link-outside'
  | 'not-a-file';

const CAUSES: Readonly<Record<SourceProblemKind, SourceProblem['cause']>> = {
  missing: 'usage',
  'not-a-folder': 'usage',
  'nothing-to-read': 'usage',
  unreadable: 'environment',
  'not-utf8': 'content',
  'nul-byte': 'content',
  'too-large': 'content',
  'broken-link': 'content',
  'link-outside': 'content',
  'not-a-file': 'content',
};

export function sourceProblem(kind: SourceProblemKind, path: string, message: string): SourceProblem {
  return { kind, cause: CAUSES[kind], path, message };
}
