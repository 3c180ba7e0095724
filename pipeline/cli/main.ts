#!/usr/bin/env node
/** The entry of `kiln`: it loads the script with all the rest, compiled already where an earlier run has kept that. */
import module from 'node:module';
import { join } from 'node:path';
import type * as Bundle from './bundle.ts';
import { runScript } from './code-cache.ts';
import { commandOf } from './command-of.ts';

/** Where the script is, from here. */
declare const KILN_BUNDLE: string;

// From Node 22.8 on, the compiled code of packages is kept between runs.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

const words = process.argv.slice(2);
const { loadCommandLine } = runScript<typeof Bundle>(join(import.meta.dirname, KILN_BUNDLE), commandOf(words));
const { run } = await loadCommandLine();
await run(words);
