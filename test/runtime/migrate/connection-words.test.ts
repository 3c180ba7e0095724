import { expect } from 'chai';
import pino from 'pino';
import { migrate } from '../../../runtime/commands/migrate.ts';
import { populate } from '../../../runtime/commands/populate.ts';
import { connectionWords } from '../../../runtime/migrate/session.ts';
import { circuitBreaker } from '../../../runtime/query/connections/circuit-breaker.ts';

/** As Node gives it for a host that nobody knows. */
const notFound = Object.assign(new Error('getaddrinfo ENOTFOUND tasksdb'), { code: 'ENOTFOUND', hostname: 'tasksdb' });

describe('a DATABASE_URL that is no address', () => {
  for (const [name, command] of Object.entries({ migrate, populate })) {
    it(`is rejected by \`${name}\` before anything is connected to`, async () => {
      const said: string[] = [];
      const say = (line: string) => void said.push(line);
      expect(await command({ DATABASE_URL: 'postgresql//me:secret@db/tasks' }, say, [])).to.equal(1);
      expect(said).to.deep.equal(['DATABASE_URL must begin with `postgres://` or `postgresql://`.']);
    });
  }
});

describe('a host of DATABASE_URL that does not exist', () => {
  it('is named by `migrate`, with what to check', () => {
    expect(connectionWords(notFound, 'postgres://me:secret@tasksdb/tasks')).to.equal(
      'There is no host `tasksdb`. Check DATABASE_URL.',
    );
    const unknown = { ...notFound, code: 'EAI_AGAIN' };
    expect(connectionWords(unknown, 'postgres://me:secret@tasksdb/tasks')).to.equal(
      'The host `tasksdb` cannot be looked up. Check DATABASE_URL.',
    );
  });

  it('is named in the log of the server', async () => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
    await circuitBreaker(log)
      .run(() => Promise.reject(notFound))
      .catch(() => undefined);
    await circuitBreaker(log, 'DATABASE_READ_URL')
      .run(() => Promise.reject(notFound))
      .catch(() => undefined);
    expect(lines).to.deep.equal([
      'the database cannot be reached. There is no host `tasksdb`. Check DATABASE_URL.',
      'the database cannot be reached. There is no host `tasksdb`. Check DATABASE_READ_URL.',
    ]);
  });
});
