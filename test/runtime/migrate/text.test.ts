import { expect } from 'chai';
import type { MigrateEvent } from '../../../runtime/migrate/events.ts';
import { jsonFromEvent, redrawOn } from '../../../runtime/migrate/run-migrate.ts';
import { textFromEvent } from '../../../runtime/migrate/text-from-event.ts';

const PLACE = { position: 2, revision: 'two', step: 1, steps: 3 };
const PSQL = { pid: 7, name: 'psql', state: 'active', seconds: 61.2 };
const BATCH = { kind: 'batch', ...PLACE, table: 'post', column: 'slug', rows: 500, rowsPerSecond: 250 } as const;
const DONE = {
  kind: 'done',
  isDryRun: false,
  position: 2,
  revision: 'two',
  ahead: 0,
  isUnderWay: false,
  applied: ['two'],
  contracted: [],
  withdrawn: [],
  pending: null,
  milliseconds: 9,
} as const;

const PENDING = { position: 2, revision: 'two', steps: 3 };
const SERVERS = [
  { name: 'kiln', connections: 1, seconds: null },
  { name: 'kiln 1 3f9a1c5b2d4e', connections: 12, seconds: 310.4 },
];

const LINES: readonly (readonly [MigrateEvent, ...string[]])[] = [
  [{ kind: 'start', database: 'blog', at: null, of: 3 }, 'The database "blog" is empty.'],
  [{ kind: 'start', database: 'blog', at: 1, of: 3 }, 'The database "blog" is at release 1 of 3.'],
  [
    { kind: 'start', database: 'blog', at: 4, of: 3 },
    'The database "blog" is at release 4, and this image is release 3.',
  ],
  [
    { kind: 'waiting-for-lock', holder: { ...PSQL, name: 'kiln migrate' }, milliseconds: 0 },
    'Another migration is running: "kiln migrate" (pid 7, active, for 61 s). Waiting for it.',
  ],
  [{ kind: 'waiting-for-lock', holder: null, milliseconds: 0 }, 'Another migration is running. Waiting for it.'],
  [
    { kind: 'release', position: 2, of: 3, revision: 'ab'.repeat(20), steps: 3, stepsDone: 0 },
    'Release 2 of 3 (abababababab)',
  ],
  [{ kind: 'step', ...PLACE, how: 'index' }],
  [{ kind: 'statement', ...PLACE, says: 'drop "post"', milliseconds: 5 }, '  [1/3] drop "post": 5 ms'],
  [
    { kind: 'blocked', what: 'drop "post"', attempt: 3, left: 598_700, blockers: [PSQL] },
    '  No lock to drop "post", attempt 3. Blocked by "psql" (pid 7, active, for 61 s). Trying again for up to 599 s.',
  ],
  [
    { ...BATCH, share: 0.259, secondsLeft: 8, isLast: false },
    '  [1/3] filling "post.slug": 25 %, 500 rows, 250 a second, about 8 s left',
  ],
  [
    { ...BATCH, share: 0.259, secondsLeft: 725, isLast: false },
    '  [1/3] filling "post.slug": 25 %, 500 rows, 250 a second, about 12 min left',
  ],
  [
    { ...BATCH, share: 0.259, secondsLeft: 12_000, isLast: false },
    '  [1/3] filling "post.slug": 25 %, 500 rows, 250 a second, about 3 h 20 min left',
  ],
  [
    { ...BATCH, share: 0, secondsLeft: null, isLast: false },
    '  [1/3] filling "post.slug": 0 %, 500 rows, 250 a second',
  ],
  [{ ...BATCH, share: 1, secondsLeft: null, isLast: true }, '  [1/3] filled "post.slug": 500 rows, 250 a second'],
  [
    { ...BATCH, rows: 1, rowsPerSecond: 15, share: 1, secondsLeft: null, isLast: true },
    '  [1/3] filled "post.slug": 1 row, 15 a second',
  ],
  [
    { kind: 'standby-behind', ...PLACE, standby: 'replica', bytes: 200 * 1024 * 1024 },
    '  [1/3] waiting for the standby "replica", which is 200 MB behind',
  ],
  [{ kind: 'index', name: 'i', phase: 'building index', share: 0.456 }, '  "i": building index, 45 %'],
  [{ kind: 'release-done', position: 2, revision: 'two', milliseconds: 9 }, 'Release 2 is applied: 9 ms'],
  [
    {
      kind: 'waiting-for-servers',
      next: 'contraction',
      position: 2,
      revision: 'two',
      servers: SERVERS,
      milliseconds: 10_000,
      left: 49_600,
    },
    'Servers of older releases are connected. Release 2 is contracted when they are gone; waiting for up to 50 s.',
    '  "kiln": 1 connection',
    '  "kiln 1 3f9a1c5b2d4e": 12 connections, the oldest for 310 s',
  ],
  [
    {
      kind: 'waiting-for-servers',
      next: 'release',
      position: 3,
      revision: 'three',
      servers: SERVERS.slice(0, 1),
      milliseconds: 0,
      left: 60_000,
    },
    'Servers of older releases are connected. Release 3 is applied when they are gone; waiting for up to 60 s.',
    '  "kiln": 1 connection',
  ],
  [
    { kind: 'contract', position: 2, revision: 'two', steps: 3, stepsDone: 1 },
    'Contraction of release 2 (two): what only the previous release needed, continuing after step 1',
  ],
  [{ kind: 'contract-done', position: 2, revision: 'two', milliseconds: 9 }, 'Release 2 is contracted: 9 ms'],
  [
    { kind: 'withdraw', position: 2, revision: 'two', by: 3, steps: 4 },
    'Release 3 withdraws release 2 (two): undoing what was begun',
  ],
  [
    { kind: 'withdraw', position: 2, revision: 'two', by: 4, steps: 0 },
    'Release 4 withdraws releases 2 to 3: there is nothing to undo',
  ],
  [{ kind: 'withdraw-done', position: 2, revision: 'two', milliseconds: 9 }, 'Release 2 is withdrawn: 9 ms'],
  [{ kind: 'warning', message: 'Look.' }, 'Warning: Look.'],
  [DONE, 'Done: the database is at release 2 (two), after 9 ms.'],
  [{ ...DONE, applied: [] }, 'Nothing to do: the database is at release 2 (two).'],
  [
    { ...DONE, applied: [], ahead: 1 },
    'Nothing to do: the database is one release ahead, at release 2 (two), and works with this image too.',
  ],
  [
    { ...DONE, pending: PENDING },
    'Done: the database is at release 2 (two), after 9 ms.',
    'Pending: the contraction of release 2 (two), 3 steps. `migrate --contract` does it when no server of a release before 2 is connected; so does the next release.',
  ],
  [{ ...DONE, isDryRun: true, applied: [], contracted: ['two'] }, '-- Then it is at release 2 (two).'],
  [
    { kind: 'refused', reason: 'drifted', message: 'No.', details: ['One.', 'Two.'], failure: null, applied: [] },
    'Refused (drifted): No.',
    '  One.',
    '  Two.',
  ],
];

describe('what migrate tells', () => {
  for (const [event, ...lines] of LINES) {
    it(`says of ${event.kind}: ${lines[0]?.trim() ?? 'nothing'}`, () => {
      expect(textFromEvent(event)).to.deep.equal(lines);
    });
  }

  it('is one object a line as JSON, with its time', () => {
    const text = jsonFromEvent({ kind: 'warning', message: 'two\nlines' }, new Date(0));
    expect(text).to.equal(String.raw`{"time":"1970-01-01T00:00:00.000Z","kind":"warning","message":"two\nlines"}`);
  });

  for (const [columns, shown] of [
    [40, 39],
    [0, 79],
    [undefined, 79],
  ] as const) {
    it(`draws ${shown} characters of a line on a terminal that says it has ${columns} columns`, () => {
      const written: string[] = [];
      const stream = { isTTY: true, columns, write: (text: string) => written.push(text) };
      redrawOn(stream as unknown as NodeJS.WriteStream).redraw?.('x'.repeat(200));
      expect(written).to.deep.equal([`\r\u001b[K${'x'.repeat(shown)}`]);
    });
  }
});
