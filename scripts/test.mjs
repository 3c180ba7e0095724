/**
 * Runs all tests, in two processes beside each other: many of them wait for a database, a container or a browser. What
 * the first one says is shown as it comes, what the second one says when it is done.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const mocha = join(dirname(createRequire(import.meta.url).resolve('mocha/package.json')), 'bin/mocha.js');

/** About half of the time is spent in these. */
const SECOND = /^test\/(docs|docs-page|editors|lsp|pipeline)\//;

const files = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.test.ts'))
  .sort();

const first = run(
  files.filter((file) => !SECOND.test(file)),
  (text) => process.stdout.write(text),
);
const held = [];
const second = run(
  files.filter((file) => SECOND.test(file)),
  (text) => held.push(text),
);
const firstCode = await first;
if (held.length > 0) console.log('\nThe tests of the pipeline, the editors and the documents run beside these:\n');
const show = () => process.stdout.write(Buffer.concat(held.splice(0)));
show();
const shown = setInterval(show, 1000);
const secondCode = await second;
clearInterval(shown);
show();
process.exitCode = firstCode || secondCode;

function run(some, say) {
  const args = [mocha, ...(process.stdout.isTTY ? ['--color'] : []), ...process.argv.slice(2), ...some];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', say);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}
