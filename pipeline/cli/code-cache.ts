/**
 * Runs a script, and keeps what V8 has compiled of it: the next run of the same command need not compile it again, which
 * would take longer than starting Node. V8 itself rejects what another version of it has made.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { cacheFile, DAY, isOlder, readCached, writeCached } from '../../files/cache.ts';

/**
 * `file` has one function in it, and is named after its content. `command` is what is done with it: each command needs
 * other parts of it. Nothing is kept where it is null.
 */
export function runScript<Exports>(file: string, command: string | null): Exports {
  const compiled = command === null ? undefined : compiledFile(file, command);
  const cachedData = compiled === undefined ? undefined : readCached(compiled);
  // The build writes it in ASCII, which is read faster and takes half of the memory.
  const source = readFileSync(file, 'latin1');
  // Code that V8 rejects all the same is compiled again once a day, not in each run.
  const script = new Script(source, { filename: file, ...(cachedData && { cachedData }) });
  if (compiled !== undefined && (cachedData === undefined || (script.cachedDataRejected && isOlder(compiled, DAY))))
    process.once('exit', (code) => {
      // A command that fails may have used little of its code.
      if (code === 0) writeCached(compiled, compiledCode(script));
    });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file), importForScript);
  return module.exports as Exports;
}

function importForScript(specifier: string): Promise<unknown> {
  return import(specifier);
}

/** V8 takes it back only under the flags that it was made under, and `startParser` changes one, which changes others. */
function compiledCode(script: Script): Buffer {
  setFlagsFromString('--no-liftoff-only --wasm-tier-up --wasm-dynamic-tiering');
  return script.createCachedData();
}

/** The cache file of the compiled code; undefined where Node is told to cache nothing. */
function compiledFile(file: string, command: string): string | undefined {
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  // The version tag is in the name: code of another V8, or of one with other flags, would be rejected.
  return cacheFile(`${basename(file)}-${command}-${cachedDataVersionTag()}`);
}
