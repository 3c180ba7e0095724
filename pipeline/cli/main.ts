#!/usr/bin/env node
/** The entry of `kiln`: it loads the script with all the rest, compiled already where an earlier run has kept that. */
import module from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type * as Bundle from './bundle.ts';
import { runScript } from './code-cache.ts';
import { commandOf, compileFlags } from './compile-flags.ts';

/** The path of the script, relative to this file. */
declare const KILN_BUNDLE: string;

// Node 22.8 and later cache the compiled code of packages between runs.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

const words = process.argv.slice(2);
const command = commandOf(words);
// The flags are set before the script is loaded: V8 accepts compiled code only under the flags that it was made with.
const flags = compileFlags(words, process.versions.node);
if (flags !== undefined) setFlagsFromString(flags);
const { loadCommandLine } = runScript<typeof Bundle>(join(import.meta.dirname, KILN_BUNDLE), command);
const { run } = await loadCommandLine();
await run(words);
