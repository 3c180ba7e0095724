/** A file of a new project. */
export interface ProjectFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string;
  readonly text: string | Uint8Array;
  readonly isExecutable?: boolean;
}
