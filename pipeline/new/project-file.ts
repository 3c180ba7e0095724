/** A file of a new project. */
export interface ProjectFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly isExecutable?: boolean;
}

/** What the files of a project are made from. */
export interface NewProject {
  /** A DNS label, and so also the name of an image. */
  readonly name: string;
  /** Variables that the application reads beyond those of every application. */
  readonly variables: readonly string[];
}
