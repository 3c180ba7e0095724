#!/usr/bin/env node
/** The entry of `kiln`: it loads the script with all the rest, compiled already where an earlier run has kept that. */
import module from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type * as Bundle from './bundle.ts';
import { runScript } from './code-cache.ts';
import { COMPILE_ONCE, commandOf } from './command-of.ts';

/** Where the script is, from here. */
declare const KILN_BUNDLE: string;

// From Node 22.8 on, the compiled code of packages is kept between runs.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

const words = process.argv.slice(2);
const command = commandOf(words);
// Most functions of the compiler run too rarely for the time that optimising them takes: by default it is a third of the
// processor time. With this budget only those that run most are optimised. And nearly all that a command makes stays in
// use until it ends, so marking it again and again on other threads, to find garbage in it, finds little. Both are set
// before the script is loaded, since V8 takes compiled code back only under the flags that it was made under.
if (COMPILE_ONCE.includes(command)) setFlagsFromString(`--interrupt-budget=1000000 ${garbageFlags()}`);
const { loadCommandLine } = runScript<typeof Bundle>(join(import.meta.dirname, KILN_BUNDLE), command);
const { run } = await loadCommandLine();
await run(words);

/**
 * A check needs nearly all that it makes, so it does not look for old garbage at all: V8 leaves that to a task as soon as
 * there is anything, lets the heap grow until the task has run, and here it never runs. V8 still looks before it would run
 * out of memory. Other commands make long texts that become garbage. Nor does a check count what survives by where it was
 * made, which only optimised code would use.
 */
function garbageFlags(): string {
  return command === 'check'
    ? '--incremental-marking-soft-trigger=1 --no-incremental-marking-task --no-allocation-site-pretenuring'
    : '--no-incremental-marking';
}
