/** The module that `import … from 'kiln-lang'` loads. Its code is part of the command line's script. */
import { join } from 'node:path';
import type * as Bundle from './bundle.ts';
import { runScript } from './code-cache.ts';

declare const KILN_BUNDLE: string;

const { loadLibrary } = runScript<typeof Bundle>(join(import.meta.dirname, KILN_BUNDLE), null);
export const { compile, createApp, startServer } = await loadLibrary();
