import { expect } from 'chai';
import { populate } from '../../../runtime/populate/populate.ts';
import { PopulateError } from '../../../runtime/populate/populate-error.ts';
import { counts, fingerprint, type Populating, populating, refusal } from './populating.ts';

const MODELS = `
  model Author { field name { type string, unique } relation posts { from Post, through author } }
  model Post { reference author { to Author } field slug { type string, unique, validate { maxLength(40) } } }`;

/** What is said, after a look at whether anything was left behind. */
async function failure(program: string, before = ''): Promise<string> {
  const made = await populating(program);
  if (before !== '') await made.client.query(before);
  const start = await stateOf(made);
  const message = await refusal(made.populate());
  expect(await stateOf(made)).to.deep.equal(start);
  return message;
}

/** Rows, and where the ids go on. */
async function stateOf(made: Populating): Promise<unknown> {
  const sequences = await made.rows('SELECT sequencename, last_value FROM pg_sequences ORDER BY 1');
  const locks = await made.rows(
    "SELECT 1 FROM pg_stat_activity WHERE application_name = 'kiln populate' AND state <> 'idle'",
  );
  return [await fingerprint(made), sequences, locks];
}

describe('a populator that fails leaves nothing behind and', () => {
  it('says which record Postgres refused, in a batch of several blocks', async () => {
    const message = await failure(`${MODELS}
      populator Dev { populate Author {
        repeat as i 10, populate posts { repeat as j 3, set slug "p" + i.current + "-" + j.current } populate posts { set slug "same" }
      } }`);
    expect(message).to.equal(
      'Post.slug of record 2 in populate Author > posts: the value same already exists, but must be unique',
    );
  });

  it('says which record Postgres refused after many batches', async () => {
    const message = await failure(`${MODELS}
      populator Dev { populate Author { populate posts { repeat as j 60000, set slug "post-" + j.current % 50000 } } }`);
    expect(message).to.match(/^Post\.slug of record 50001 in populate Author > posts: the value post-1 already exists/);
  });

  it('says that a value is among the rows that are there', async () => {
    const message = await failure(
      `${MODELS} populator Dev { populate Author { repeat as i 5, set name "a" + i.current } }`,
      "INSERT INTO author (name) VALUES ('a3')",
    );
    expect(message).to.equal(
      'Author.name of record 3 in populate Author: the value a3 already exists, but must be unique',
    );
  });

  it('keeps the value of a secret to itself', async () => {
    const message = await failure(`model User { field pin { type string, unique, secret } }
      populator Dev { populate User { repeat 2, set pin "hunter2" } }`);
    expect(message).to.equal('User.pin of record 2 in populate User: the value already exists, but must be unique');
  });

  it('says which validator refused what was set', async () => {
    const message = await failure(`${MODELS}
      populator Dev { populate Author { repeat 2, populate posts { repeat as j 12, set slug "slug-" + j.current + faker.lorem.paragraph() } } }`);
    expect(message).to.match(
      /^Post\.slug of record \d+ in populate Author > posts: the value must have at most 40 characters$/,
    );
  });

  it('says that there is nothing to refer to', async () => {
    const message = await failure(`${MODELS} populator Dev { populate Post { repeat 3 } }`);
    expect(message).to.equal(
      'Post.author of record 1 in populate Post: there is no Author to refer to: populate Author first, or set the reference',
    );
  });

  it('says that there is nothing to pick', async () => {
    const message = await failure(`
      model Event {
        relation types { from Type, through event }
        relation areas { from Area, through event }
        relation tickets { from Ticket, through event }
      }
      model Area { reference event { to Event } relation types { from Type, through area } }
      model Type { reference area { to Area } reference event { to Event, nullable } }
      model Ticket { reference event { to Event } reference type { to Type } }
      populator Dev { populate Event as event {
        populate areas { populate types { set event null } }
        populate tickets { set type oneOf(event.types) }
      } }`);
    expect(message).to.equal(
      'Ticket.type of record 1 in populate Event > tickets: `event.types` has no records to pick from: create them before',
    );
  });

  it('says that there are too few different values', async () => {
    const message = await failure(`
      model Tag { relation marks { from Mark, through tag } } model Page { relation marks { from Mark, through page } }
      model Mark { reference page { to Page } reference tag { to Tag } unique { page, tag } }
      populator Dev { populate Tag { repeat 2 } populate Page { repeat 3, populate marks { repeat 3 } } }`);
    expect(message).to.equal(
      'Mark.tag of record 3 in populate Page > marks: it must be unique together with page, and there are no more than 2 to choose from: Tag',
    );
  });

  it('says that no value pleases a validator', async () => {
    const message = await failure(`
      validator odd { arg value { type string } assert { value is "x y z, no one guesses this" } error { code "no" } }
      model Thing { field a { type string, validate { odd() } } } populator Dev { populate Thing {} }`);
    expect(message).to.equal(
      'Thing.a of record 1 in populate Thing: found no value that its validators accept: set the field in the populator',
    );
  });

  it('says which value Faker cannot give', async () => {
    const message = await failure(`
      model Thing { field size { type integer } }
      populator Dev { populate Thing { repeat 3, set size faker.helpers.arrayElement(["tiny"]) } }`);
    expect(message).to.equal('Thing.size of record 1 in populate Thing: the value must be an integer');
  });

  it('refuses the character U+0000, and says where', async () => {
    const things = await populating(
      `model Thing { field a { type string } } populator Dev { populate Thing { repeat 2 } }`,
    );
    const definition = JSON.parse(JSON.stringify(things.definition));
    const value = { kind: 'literal', type: { kind: 'string' }, value: 'a\u0000b' };
    definition.populators[0].populates[0].values = [{ field: 'a', value }];
    const message = await refusal(populate(definition, 'Dev', { databaseUrl: things.url }));
    expect(message).to.equal('Thing.a of record 1 in populate Thing: a text cannot contain the character U+0000');
    expect(await counts(things)).to.deep.equal({ Thing: 0 });
  });

  it('names the populators that there are', async () => {
    const things = await populating(`${MODELS} populator Dev { populate Author {} }`);
    const error = await populate(things.definition, 'Prod', { databaseUrl: things.url }).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(PopulateError);
    expect((error as Error).message).to.equal('there is no populator `Prod`; there is `Dev`');
  });

  it('says that the tables are not there', async () => {
    const things = await populating(`${MODELS} populator Dev { populate Author {} }`);
    await things.client.query('DROP TABLE author CASCADE');
    expect(await refusal(things.populate())).to.equal(
      'the database does not match this application: relation "author" does not exist',
    );
  });

  it('says which code of the application is missing', async () => {
    const things = await populating(
      new Map([
        [
          'main.kiln',
          `model Thing { field a { type string } }
           populator Dev { populate Thing { set a hook { source named from "own.ts" } } }`,
        ],
        ['hooks/own.ts', 'export const named = () => "x"'],
      ]),
    );
    expect(await refusal(things.populate({ hooks: {} }))).to.equal(
      'the hook `named` of hooks/own.ts is not part of the code of the application',
    );
  });

  it('gives up when the connection is lost under it', async () => {
    const made = await populating(`${MODELS} populator Dev { populate Author { populate posts { repeat 100000 } } }`);
    const end = () =>
      made.client.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kiln populate'",
      );
    let isTold = false;
    const report = () => {
      if (!isTold) void end();
      isTold = true;
    };
    expect(await refusal(made.populate({ report }))).not.to.equal('nothing was refused');
    expect(await counts(made)).to.deep.equal({ Author: 0, Post: 0 });
  });
});
