/**
 * Runs all tests, in three processes beside each other: many of them wait for a database, a container or a browser. The
 * output of the first one is shown as it comes, that of the others after it, and what failed in any of them once more at
 * the end.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const mocha = join(dirname(createRequire(import.meta.url).resolve('mocha/package.json')), 'bin/mocha.js');

/** Whatever is in none of these is tested by the first process. */
const OTHERS = [
  /^test\/pipeline\//,
  /^test\/(campaigns|compiler\/change|docs|docs-page|editors|language-server|runtime\/rollout)\//,
];

const files = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.test.ts'))
  .sort();

const groups = [
  files.filter((file) => OTHERS.every((folder) => !folder.test(file))),
  ...OTHERS.map((folder) => files.filter((file) => folder.test(file))),
];
const codes = [];
const failures = [];
for (const group of groups.map(startedWith)) {
  group.show();
  codes.push(await group.ended);
  failures.push(...group.failures());
}
if (failures.length > 0) process.stdout.write(`\nWhat failed:\n${failures.join('\n')}`);
process.exitCode = Math.max(...codes);

/** Holds back what is said until it is to be shown. */
function startedWith(some) {
  const args = [mocha, ...(process.stdout.isTTY ? ['--color'] : []), ...process.argv.slice(2), ...some];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const held = [];
  const said = [];
  let say = (text) => void held.push(text);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      said.push(text);
      say(text);
    });
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return {
    ended: new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1))),
    show() {
      say = (text) => void process.stdout.write(text);
      process.stdout.write(Buffer.concat(held));
    },
    /** Mocha's report of what failed follows the line with the number of failures. */
    failures() {
      const text = Buffer.concat(said).toString();
      const start = text.search(/^.*\d+ failing/m);
      return start < 0 ? [] : [text.slice(start)];
    },
  };
}
