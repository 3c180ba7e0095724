import { expect } from 'chai';
import { fakerCatalogue } from '../../../compiler/check/faker-catalogue.ts';
import { populate, seededFaker } from '../../../runtime/populate/populate.ts';
import { verifyPassword } from '../../../runtime/values/password.ts';
import { type Populating, populating } from './populating.ts';

async function populated(program: string): Promise<Populating> {
  const made = await populating(program);
  await made.populate();
  return made;
}

describe('expressions of populators', () => {
  it('see the records and the iterators around, three levels down', async () => {
    const library = await populated(`
      model Writer { field name { type string } relation works { from Work, through writer } }
      model Work { reference writer { to Writer } field title { type string } relation notes { from Note, through work } }
      model Note { reference work { to Work } reference about { to Writer } field text { type string } }
      populator Dev {
        populate Writer as writer {
          repeat as i 3
          set name "W" + i.current
          populate works as work {
            repeat as j { start 5, end 7 }
            set title writer.name + ", volume " + j.current + " of " + j.total
            populate notes {
              repeat as k 2
              set about writer
              set text work.title + " by " + writer.name + ": " + i.current + "/" + i.total + " " + k.current
            }
          }
        }
      }`);
    const works = await library.rows('SELECT title, writer_id::int AS writer FROM work ORDER BY id');
    expect(works.slice(0, 4)).to.deep.equal([
      { title: 'W1, volume 5 of 3', writer: 1 },
      { title: 'W1, volume 6 of 3', writer: 1 },
      { title: 'W1, volume 7 of 3', writer: 1 },
      { title: 'W2, volume 5 of 3', writer: 2 },
    ]);
    const notes = await library.rows(`SELECT text FROM note JOIN work ON work.id = work_id
      WHERE about_id = writer_id ORDER BY note.id`);
    expect(notes).to.have.length(18);
    expect(notes.at(-1)?.text).to.equal('W3, volume 7 of 3 by W3: 3/3 2');
  });

  it('join texts of lists and add numbers of lists, whatever else faker might have chosen', async () => {
    const things = await populated(`
      model Thing { field name { type string } field n { type float } }
      populator Dev {
        populate Thing {
          set name faker.helpers.arrayElement(["a"]) + faker.helpers.arrayElement(["b"]) + faker.helpers.arrayElement(["c"])
          set n faker.helpers.arrayElement([1]) + faker.helpers.arrayElement([2.5])
        }
      }`);
    expect(await things.rows('SELECT name, n FROM thing')).to.deep.equal([{ name: 'abc', n: 3.5 }]);
  });

  it('pick records that were made for the record around, at any depth, by the seed', async () => {
    const program = `
      model Event {
        field id { type uuid }
        relation types { from Type, through event }
        relation orders { from Order, through event }
      }
      model Type { reference event { to Event } }
      model Order { reference event { to Event } relation tickets { from Ticket, through order } }
      model Ticket { reference order { to Order } reference type { to Type } }
      populator Dev {
        populate Event as event {
          repeat 3
          populate types { repeat 4 }
          populate orders { repeat 5, populate tickets { repeat 6, set type oneOf(event.types) } }
        }
      }`;
    const picks = async (seed: number) => {
      const fair = await populating(program);
      await fair.populate({ seed });
      const rows = await fair.rows(`SELECT type.id::int AS type, type.event_id = "order".event_id AS fits
        FROM ticket JOIN type ON type.id = type_id JOIN "order" ON "order".id = order_id ORDER BY ticket.id`);
      expect(rows.every(({ fits }) => fits)).to.equal(true);
      return rows.map(({ type }) => type);
    };
    const made = await picks(1);
    expect(made).to.have.length(90);
    expect(new Set(made).size).to.equal(12);
    expect(await picks(1)).to.deep.equal(made);
    expect(await picks(2)).not.to.deep.equal(made);
  });

  it('take iterators of one name in blocks beside each other for two', async () => {
    const things = await populated(`
      model Thing { field n { type integer } field of { type integer } }
      populator Dev {
        populate Thing { repeat as i 2, set n i.current, set of i.total }
        populate Thing { repeat as i { start 10, end 12 }, set n i.current, set of i.total }
      }`);
    const rows = await things.rows('SELECT n::int, "of"::int FROM thing ORDER BY id');
    expect(rows.map(({ n, of }) => [n, of])).to.deep.equal([
      [1, 2],
      [2, 2],
      [10, 3],
      [11, 3],
      [12, 3],
    ]);
  });

  it('are normalised before they are validated, as inputs are, and defaults are not', async () => {
    const users = await populated(`
      model User {
        field email { type string, unique, normalise { trim, lower }, validate { oneOf("ann@example.com", "bob@example.com") } }
        field name { type string, normalise { trim }, nullable }
        field role { type string, normalise { lower }, default "Guest" }
        field code { type string, normalise { lower } }
      }
      populator Dev {
        populate User { set email " Ann@Example.com ", set name faker.helpers.arrayElement([" Ann "]), set code concat("A", "B") }
        populate User { set email "BOB@example.com", set name null, set code "c" }
      }`);
    expect(await users.rows('SELECT email, name, role, code FROM "user" ORDER BY id')).to.deep.equal([
      { email: 'ann@example.com', name: 'Ann', role: 'Guest', code: 'ab' },
      { email: 'bob@example.com', name: null, role: 'Guest', code: 'c' },
    ]);
  });

  it('call Faker with arguments, and make decimals and dates of what it gives', async () => {
    const things = await populated(`
      model Thing {
        field a { type string } field b { type integer } field c { type decimal } field d { type date }
        field e { type timestamp } field f { type json } field g { type decimal } field h { type string }
      }
      populator Dev { populate Thing {
        repeat as i 20
        set a faker.string.alpha(7)
        set b faker.number.int(3)
        set c faker.commerce.price()
        set d faker.date.past()
        set e faker.date.recent()
        set f faker.finance.currency()
        set g faker.number.float(2)
        set h faker.string.alpha(i.current)
      } }`);
    const rows = await things.rows(
      'SELECT *, b::int AS b, d::text AS day, e <= $$2026-01-01$$ AS is_past FROM thing ORDER BY id',
    );
    for (const [index, row] of rows.entries()) {
      expect(row.a).to.match(/^[A-Za-z]{7}$/);
      expect(row.b).to.be.within(0, 3);
      expect(row.c).to.match(/^\d+\.\d\d$/);
      expect(row.day).to.match(/^2025-/);
      expect(row.is_past).to.equal(true);
      expect(row.f).to.have.property('code');
      expect(row.h).to.have.length(index + 1);
    }
  });

  it('hash passwords and make tokens that follow from the seed', async () => {
    const program = `
      model User { field hash { type string } field token { type string } field short { type string } field at { type timestamp, default now() } field day { type date, default today() } }
      populator Dev { populate User { repeat 2000, set hash cryptoHash("secret"), set token cryptoToken(), set short cryptoToken(8) } }`;
    const first = await (await populated(program)).rows('SELECT *, day::text AS day FROM "user" ORDER BY id LIMIT 2');
    const again = await (await populated(program)).rows('SELECT *, day::text AS day FROM "user" ORDER BY id LIMIT 2');
    expect(again).to.deep.equal(first);
    const [user, other] = first;
    expect(await verifyPassword('secret', String(user?.hash))).to.equal(true);
    expect(await verifyPassword('Secret', String(user?.hash))).to.equal(false);
    expect(user?.token).to.match(/^[\w-]{43}$/);
    expect(user?.short).to.match(/^[\w-]{8}$/);
    expect(other?.token).not.to.equal(user?.token);
    expect(user?.at).to.deep.equal(new Date('2026-01-01'));
    expect(user?.day).to.equal('2026-01-01');
  });

  it('go from the beginning of a day, which is today', async () => {
    const things = await populating(`
      model Thing { field at { type timestamp, default now() } field day { type date } field soon { type timestamp } field made_at { type integer } }
      populator Dev { populate Thing { set day today(), set soon faker.date.soon() } }`);
    await things.populate({ clock: '2031-05-06' });
    const [row] = await things.rows(
      'SELECT at, day::text AS day, soon::date::text AS soon, made_at::float AS made FROM thing',
    );
    expect(row).to.include({ day: '2031-05-06', soon: '2031-05-06' });
    expect(row?.at).to.deep.equal(new Date('2031-05-06'));
    expect(row?.made).to.be.within(Date.UTC(2030, 4, 6), Date.UTC(2031, 4, 6));
    const before = new Date().toISOString().slice(0, 10);
    await populate(things.definition, 'Dev', { databaseUrl: things.url });
    const [other] = await things.rows('SELECT day::text AS day FROM thing ORDER BY id DESC LIMIT 1');
    expect([before, new Date().toISOString().slice(0, 10)]).to.include(other?.day);
    const error = await things.populate({ clock: '2026-02-30' }).catch((refusal: Error) => refusal);
    expect(error).to.have.property('message', 'the clock is a day such as 2026-01-01, not 2026-02-30');
  });

  it('run the code of the application', async () => {
    const things = await populating(
      new Map([
        [
          'main.kiln',
          `model Thing { field a { type string } field b { type integer } }
           populator Dev { populate Thing { repeat as i 3, set a hook { arg n i.current, source named from "own.ts" }, set b hook { arg n i.current, inline "n * 2" } } }`,
        ],
        ['hooks/own.ts', "export const named = async ({ n }) => 'thing ' + n"],
      ]),
    );
    await things.populate();
    const rows = await things.rows('SELECT a, b::int FROM thing ORDER BY id');
    expect(rows.map(({ a, b }) => [a, b])).to.deep.equal([
      ['thing 1', 2],
      ['thing 2', 4],
      ['thing 3', 6],
    ]);
  });

  it('have a Faker that gives the same for the same seed, whatever the method', async () => {
    const draw = async (seed: number) => {
      const faker = await seededFaker(seed, 0);
      return Object.entries(fakerCatalogue).flatMap(([module, methods]) =>
        Object.entries(methods)
          .filter(([, { required }]) => required === 0)
          .map(([method]) => {
            const holder = Reflect.get(faker, module) as Record<string, () => unknown>;
            return [`${module}.${method}`, JSON.stringify(holder[method]?.())];
          }),
      );
    };
    const [first, again, other] = [await draw(5), await draw(5), await draw(6)];
    expect(first.length).to.be.greaterThan(150);
    expect(again).to.deep.equal(first);
    expect(other).not.to.deep.equal(first);
  });
});
