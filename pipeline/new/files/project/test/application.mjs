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
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // Jobs run when a test says so, and mails are kept for it.
    env: {
      ...process.env,
      DATABASE_URL: process.env.TEST_DATABASE_URL ?? '',
      LOG_LEVEL: 'warn',
      JOBS: '0',
      KILN_MAILBOX: 'yes',
      // Webhooks may go to a receiver of the test.
      WEBHOOK_PRIVATE: 'allow',
    },
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
  const request = (method, path, body, token, headers) => ask(api + path, method, body, token, headers);
  const tell = channelTo(kiln);
  return {
    request,
    stop,
    /** Fills the database with the records of a populator. */
    populate: (populator = 'Dev') => tell('populate', { populator }),
    /** Makes a record, whatever the API allows, and gives it: `await create('User', { email, password, role: 'admin' })`. */
    create: (model, values = {}) => tell('create', { model, values }),
    /** The records with these values, without their secrets: `await find('User', { email })`. */
    find: (model, values = {}) => tell('find', { model, values }),
    /** A token of any account, without its password. */
    signIn: (login) => tell('signIn', { login }),
    /** Stores a job, as `run` and schedules do: `await run('Remind', { order })`. */
    run: (job, values = {}) => tell('run', { job, values }),
    /** Runs the jobs that are due, and those that they run. Gives the name and the result of each, and why it failed. */
    work: () => tell('work'),
    /** Lets time pass for jobs: `await travel(days(3))`. */
    travel: (seconds) => tell('travel', { seconds }),
    /** The mails that were sent since it was last called: `to`, `subject`, `html` and `text` of each. */
    mails: () => tell('mails'),
  };
}

export const minutes = (count) => count * 60;
export const hours = (count) => minutes(60 * count);
export const days = (count) => hours(24 * count);

/** Each message has a number, and its answer has the same. */
function channelTo(kiln) {
  const waiting = new Map();
  let last = 0;
  kiln.on('message', ({ id, ran, error }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(ran);
    else reject(new Error(error));
  });
  kiln.once('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('The application has ended.'));
  });
  return (request, values) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      kiln.send({ id: last, kiln: request, ...values }, (failed) => failed && reject(failed));
    });
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

async function ask(url, method, body, token, more) {
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...more,
  };
  const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
}
