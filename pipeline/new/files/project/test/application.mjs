// Starts the application on an empty database for the tests, and stops it again.
// The database is a Postgres of its own, or that of TEST_DATABASE_URL, which has to be empty.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const project = resolve(import.meta.dirname, '..');
const packages = join(project, 'node_modules');
const notCopied = ['.git', '.kiln', 'build', 'node_modules', 'test', 'vendor'];

export async function startApplication() {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-test-'));
  cpSync(project, folder, { recursive: true, filter: (path) => !notCopied.includes(basename(path)) });
  if (existsSync(packages)) symlinkSync(packages, join(folder, 'node_modules'), 'junction');
  const kiln = spawn(process.env.KILN ?? 'kiln', ['start', folder, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATABASE_URL: process.env.TEST_DATABASE_URL ?? '', LOG_LEVEL: 'error' },
  });
  const ended = new Promise((done) => kiln.once('close', done).once('error', done));
  const stop = async () => {
    kiln.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const api = await addressOf(kiln);
  if (api === undefined) {
    await stop();
    throw new Error('The application did not start. Run `npm install` first, so that `kiln` is there.');
  }
  const request = (method, path, body, token) => ask(api + path, method, body, token);
  return { request, stop };
}

/** `kiln start` says where it serves once it does; nothing where it ends before that. */
function addressOf(kiln) {
  return new Promise((found) => {
    createInterface(kiln.stdout).on('line', (line) => {
      const [, address] = /^Serving .* on (http\S+)/.exec(line) ?? [];
      if (address) found(address);
    });
    kiln.once('close', () => found()).once('error', () => found());
  });
}

async function ask(url, method, body, token) {
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
}
