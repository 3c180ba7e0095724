import { fileURLToPath } from 'node:url';

/** Beside the bundle of the command line. */
export const RUNTIME_FOLDER = fileURLToPath(new URL('../runtime', import.meta.url));
