#!/usr/bin/env node
/** The entry of `kiln`. */
import module from 'node:module';

// Node 22.8 and later cache the compiled code between runs.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

const { run } = await import('./run.ts');
await run(process.argv.slice(2));
