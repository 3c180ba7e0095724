import { expect } from 'chai';
import { run, stopAll } from './running.ts';

const DEEP = 40;

function nested(around: (inner: string) => string, inmost: string): string {
  let text = inmost;
  for (let level = 0; level < DEEP; level++) text = around(text);
  return text;
}

const rounds = nested((inner) => `round(${inner}, 2)`, 'x');
const whole = nested((inner) => `round(${inner} * 1.0)`, 'x');
const choices = nested((inner) => `(${inner} in [true, true])`, 'n in [1, 2]');
const doubled = Array.from({ length: 10 }, (_, at) => `computed c${at + 1} { c${at} + c${at} }`).join('\n');

describe('a statement', () => {
  after(stopAll);

  it('does not grow with each use of what is inside', async () => {
    const source = `
      model Point {
        field x { type float }
        field n { type integer }
        computed rounded { ${rounds} }
        computed whole { ${whole} }
        computed chosen { ${choices} }
      }
      api { entrypoint Point { list endpoint { filter { ${choices} }, response { rounded, whole, chosen } } } }
    `;
    const { ask, database } = await run(source);
    await database.client.query('INSERT INTO "point" ("x", "n") VALUES (1.255, 1), (2.5, 2), (3, 3)');
    const { status, json } = await ask('GET /api/point');
    expect([status, json]).to.deep.equal([
      200,
      [
        { rounded: 1.25, whole: 1, chosen: true },
        { rounded: 2.5, whole: 3, chosen: true },
      ],
    ]);
  });

  it('may have members that are as large as the compiler allows', async () => {
    const source = `
      model Point { field c0 { type integer }\n${doubled} }
      api { entrypoint Point { list endpoint { response { c10 }, order by { c10 desc } } } }
    `;
    const { ask, database } = await run(source);
    await database.client.query('INSERT INTO "point" ("c0") VALUES (1), (9223372036854775807), (2)');
    const { status, json } = await ask('GET /api/point');
    expect([status, json]).to.deep.equal([200, [{ c10: 2048 }, { c10: 1024 }, { c10: null }]]);
  });
});
