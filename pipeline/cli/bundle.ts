/**
 * All of Kiln's own code as one script, for the command line and for programs that import the package. Nothing of it runs
 * until it is asked for.
 */
export async function loadCommandLine() {
  return import('./run.ts');
}

export async function loadLibrary() {
  return import('../library/library.ts');
}
