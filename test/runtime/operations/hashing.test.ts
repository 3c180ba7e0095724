import { createHook } from 'node:async_hooks';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { HashingBetween, HashingDue } from '../../../runtime/endpoints/hashing-between.ts';
import { hashPassword } from '../../../runtime/values/password.ts';
import { until } from '../../support/until.ts';
import { bearer, type Running, run, stopAll } from './running.ts';

const SOURCE = `
model Team {
  field name { type string, unique }
  relation users { from User, through team }
}
model User {
  reference team { to Team, nullable }
  field email { type string, unique }
  field hash { type string, secret }
  field changes { type integer, default 0 }
  field fitted { type boolean, default false }
}
auth { model User, login email, password hash }
api {
  entrypoint Team as team {
    create endpoint {
      authorize { true }
      extra inputs { field email { type string }, field password { type string } }
      action {
        create as made { input { name } }
        create made.users as first { set email email, set hash cryptoHash(password), set changes 0, set fitted false }
        respond { body made.id }
      }
    }
  }
  entrypoint User as user {
    response { id, changes }
    POST one "password" {
      authorize { user is @auth }
      extra inputs { field old_password { type string }, field new_password { type string } }
      action {
        update user as changed {
          set fitted cryptoCompare(old_password, user.hash)
          set changes user.changes + 1
        }
        update user as again { set hash cryptoHash(new_password) }
        respond { body again.fitted }
      }
    }
    POST one "by-hook" {
      authorize { user is @auth }
      extra inputs { field new_password { type string } }
      action {
        execute { hook { arg id user.id, source before from "code.ts" } }
        update user as again { set hash cryptoHash(new_password + stringify(user.changes)) }
        respond { body "done" }
      }
    }
  }
}
`;
const ADA = { email: 'ada@example.com', password: 'a long password' };

describe('a password that is compared with another hash each time', () => {
  it('is compared inside the third transaction, so that nobody who changes the hash can delay it', async () => {
    const hashing = new HashingBetween();
    const comparedWith = async (password: string): Promise<boolean | HashingDue> =>
      hashing.fits('a long password', await hashPassword(password)).catch((error: HashingDue) => error);
    for (const password of ['first', 'second']) {
      const due = await comparedWith(password);
      expect(due).to.be.instanceOf(HashingDue);
      await (due as HashingDue).hash();
    }
    expect([await comparedWith('third'), await comparedWith('a long password')]).to.deep.equal([false, true]);
  });
});

describe('hashing a password', () => {
  let app: Running;
  let calls = 0;
  let token: unknown;
  let threads: Threads;

  beforeEach(async () => {
    calls = 0;
    app = await run(SOURCE, { code: { before: () => void calls++ }, environment: { LOGIN_LIMIT: '1/15m' } });
    await app.ask('POST /api/auth/register', ADA);
    token = (await app.ask('POST /api/auth/login', ADA)).json.token;
    threads = blockThreads();
  });
  afterEach(async () => {
    await threads.end();
    await stopAll();
  });

  const transactions = async (): Promise<number> => {
    const { rows } = await app.database.client.query(
      `SELECT count(*)::int AS open FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`,
    );
    return rows[0].open;
  };

  const untilNoTransaction = async (): Promise<void> => {
    await until(async () => (await transactions()) === 0);
  };

  it('holds no transaction, and no number of a record is left out', async () => {
    const answers = ['red', 'blue'].map((name) =>
      app.ask('POST /api/team', { name, email: `${name}@example.com`, password: 'a long password' }),
    );
    await until(() => threads.hashes > 0);
    await untilNoTransaction();
    await threads.release();
    const made = (await Promise.all(answers)).map(({ status, text }) => [status, Number(text)]);
    expect(made.sort()).to.deep.equal([
      [200, 1],
      [200, 2],
    ]);
  });

  it('holds none either where a password is compared with one that is stored', async () => {
    const body = { old_password: ADA.password, new_password: 'another password' };
    const answer = app.ask('POST /api/user/1/password', body, bearer(token));
    await until(() => threads.hashes > 0);
    await untilNoTransaction();
    await threads.release();
    const { status, text } = await answer;
    expect([status, text, threads.hashes]).to.deep.equal([200, 'true', 2]);
    const login = await app.ask('POST /api/auth/login', { ...ADA, password: body.new_password });
    expect(login.status).to.equal(200);
  });

  it('does not run a hook twice', async () => {
    const answer = app.ask('POST /api/user/1/by-hook', { new_password: 'another password' }, bearer(token));
    await until(() => threads.hashes > 0);
    expect(await transactions()).to.equal(1);
    await threads.release();
    const { status } = await answer;
    expect([status, calls]).to.deep.equal([200, 1]);
  });

  it('is refused after some seconds in the queue, which is no failed login', async () => {
    const before = Promise.allSettled(Array.from({ length: 4 }, () => hashPassword('before')));
    const { status, json, headers } = await app.ask('POST /api/auth/login', ADA);
    expect([status, json.code]).to.deep.equal([503, 'unavailable']);
    expect(json.detail).to.equal('Too many passwords are being checked. Try again in 5 seconds.');
    expect(headers['retry-after']).to.equal('5');
    expect(app.lines.find((line) => line.status === 503)).to.include({ level: 'warn' });
    await threads.release();
    await before;
    expect((await app.ask('POST /api/auth/login', ADA)).status).to.equal(200);
  });
});

interface Threads {
  /** How many hashes were given to them. */
  readonly hashes: number;
  release(): Promise<void>;
  end(): Promise<void>;
}

/** Each thread of Node waits for a writer of the same pipe, so that nothing is hashed until then. */
function blockThreads(): Threads {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-threads-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const count = Number(process.env.UV_THREADPOOL_SIZE) || 4;
  const readers = Array.from({ length: count }, () => open(pipe, 'r'));
  let hashes = 0;
  const hook = createHook({
    init: (_, type) => {
      if (type === 'SCRYPTREQUEST') hashes++;
    },
  }).enable();
  let released: Promise<void> | null = null;
  return {
    get hashes() {
      return hashes;
    },
    release() {
      released ??= release(pipe, readers);
      return released;
    },
    async end() {
      await this.release();
      hook.disable();
      rmSync(folder, { recursive: true });
    },
  };
}

async function release(pipe: string, readers: readonly Promise<FileHandle>[]): Promise<void> {
  const writer = openSync(pipe, 'r+');
  for (const reader of readers) await (await reader).close();
  closeSync(writer);
}
