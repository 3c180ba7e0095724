import { expect } from 'chai';
import { ask } from '../http/serving.ts';
import { type Running, run, stopAll } from './running.ts';

const LINKS = `
model Link {
  field url { type string, nullable, validate { isUrl() and maxLength(200) } }
  field site { type string, nullable, validate { isUrl() } }
  field mail { type string, nullable, validate { isEmail() } }
  field word { type string, nullable, validate { pattern("^(a+)+$") } }
  field text { type string, nullable, validate { pattern("[ab]*a[ab]{300}$") } }
  field price { type decimal, nullable, validate { oneOf(1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5) } }
}
api { entrypoint Link { list endpoint {} create endpoint {} } }
`;

const LONG = 1_000_000;
/** Each of these would block for seconds or minutes if what it costs grew faster than its length. */
const BODIES: readonly (readonly [object, string])[] = [
  [{ url: `http://${'a.'.repeat(45_000)}` }, 'max-length'],
  [{ url: `http://a/${'\u0301'.repeat(90_000)}` }, 'max-length'],
  [{ site: `http://${'é.'.repeat(LONG / 3)}` }, 'is-url'],
  [{ site: `http://${'a\u0301\u0323'.repeat(LONG / 5)}` }, 'is-url'],
  [{ mail: `a@${'a-'.repeat(LONG / 3)}.com` }, 'is-email'],
  [{ word: `${'a'.repeat(29)}!` }, 'pattern'],
  [{ word: `${'a'.repeat(LONG - 100)}!` }, 'pattern'],
  [{ text: 'ab'.repeat(LONG / 2 - 100) }, 'max-length'],
  [{ price: '9'.repeat(131_072) }, 'one-of'],
];

describe('a long value', () => {
  let links: Running;

  before(async () => {
    links = await run(LINKS);
  });

  after(stopAll);

  for (const [body, code] of BODIES) {
    const [name, value] = Object.entries(body)[0] as [string, string];
    it(`in \`${name}\` of ${value.length} characters, ${value.slice(0, 12)}…, is refused at once`, async () => {
      const { status, json } = await links.ask('POST /api/link', body);
      expect(status).to.equal(422);
      expect((json.errors as { code: string }[]).map((error) => error.code)).to.deep.equal([code]);
    });
  }
});

const TEXTS = `
model Text {
  field body { type string }
  field part { type string, nullable }
  field prices { type [decimal], nullable, validate { distinct() } }
  field facts { type json, nullable }
  field weight { type float, nullable }
  computed slug { slugify(body) }
  computed has { contains(body, part) }
}
api {
  entrypoint Text as text {
    response { id, slug, has }
    create endpoint {}
    list endpoint { filterable { body } }
    GET many "with" { extra inputs { field part_of { type string } }, filter { endsWith(body, part_of) }, response { id } }
    GET many "if" {
      extra inputs { field part_of { type string } }
      filter { if(id > 100, startsWith(body, part_of), true) }
      response { id }
    }
    POST many "hooked" { action { create Text { set body "x", set facts hook { source code from "code" } } } }
    GET one "served" { action { respond { body { slug: slugify(text.body), has: contains(text.body, text.part) } } } }
    POST many "find" {
      extra inputs { field a { type string }, field b { type string } }
      action { respond { body [stringify(contains(a, b)), stringify(contains(a, "${'x'.repeat(300)}"))] } }
    }
  }
}`;

const PART = 'é'.repeat(200);

describe('a long text', () => {
  let texts: Running;
  const askWith = (path: string, part: string) => texts.ask(`GET /api/text${path}${encodeURIComponent(part)}`);

  before(async () => {
    texts = await run(TEXTS, { code: { code: () => ({ ratio: 1 / 0 }) } });
    const bodies = [`a${'\u0301\u0323'.repeat(60_000)}b`, `${'a'.repeat(499)}b c`, `x${PART}`];
    const parts = [`b${'a'.repeat(60_000)}`, null, PART];
    for (const [at, body] of bodies.entries()) await texts.ask('POST /api/text', { body, part: parts[at] });
  });

  after(stopAll);

  it('gives a slug of its first 500 characters, in the server and in Postgres', async () => {
    const { json } = await texts.ask('GET /api/text');
    const slugs = (json as unknown as { slug: string }[]).map(({ slug }) => slug);
    expect(slugs).to.deep.equal(['a', `${'a'.repeat(499)}b`, `x${'e'.repeat(200)}`]);
    expect((await texts.ask('GET /api/text/2/served')).json).to.deep.equal({ slug: slugs[1], has: null });
  });

  it('is not looked for in another one: the result is out of range', async () => {
    const { json } = await texts.ask('GET /api/text');
    expect((json as unknown as { has: unknown }[]).map(({ has }) => has)).to.deep.equal([null, null, true]);
    const served = await texts.ask('GET /api/text/1/served');
    expect(served.status).to.equal(422);
    expect(served.json).to.include({ detail: 'A text to look for in another one must have at most 200 characters.' });
    expect((await texts.ask('GET /api/text/3/served')).json).to.have.property('has', true);
  });

  it('is refused where a client sends it to be looked for', async () => {
    expect((await askWith('/with?part_of=', PART)).json).to.deep.equal([{ id: 3 }]);
    expect((await askWith('/with?part_of=', `${PART}é`)).status).to.equal(422);
    expect((await askWith('?body[contains]=', PART)).json).to.have.length(1);
    for (const operator of ['contains', 'prefix']) {
      const { status, json } = await askWith(`?body[${operator}]=`, `${PART}é`);
      expect(status).to.equal(400);
      expect(json.detail).to.equal(`The query parameter \`body[${operator}]\` must have at most 200 characters.`);
    }
  });

  it('is refused only where it is looked for', async () => {
    expect((await askWith('/if?part_of=', `${PART}é`)).json).to.have.length(3);
    const { status } = await texts.ask('POST /api/text/find', { a: 'x'.repeat(300), b: 'x'.repeat(201) });
    expect(status).to.equal(422);
    const found = await texts.ask('POST /api/text/find', { a: 'x'.repeat(300), b: 'X'.repeat(200) });
    expect(found.json).to.deep.equal(['true', 'true']);
  });

  it('of zeros is compared with others: decimals are distinct by value', async () => {
    const long = `1.${'0'.repeat(16_000)}`;
    const create = (prices: readonly string[]) => texts.ask('POST /api/text', { body: 'x', prices });
    expect((await create([long, `${long}0`])).json.errors).to.have.length(1);
    expect((await create([`1${'0'.repeat(131_000)}.0`, '0.0', '-1.50', '10'])).status).to.equal(201);
    expect((await create(['-0.0', '0'])).status).to.equal(422);
  });

  it('of digits that a double cannot hold is refused in JSON, and rounded where it is a float', async () => {
    const create = (json: string) => {
      const body = `{ "body": "1e400", "weight": 0.1234567890123456789, "facts": ${json} }`;
      return ask(texts.port, '/api/text', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    };
    const message = 'must not contain a number that a double cannot hold exactly; send it as a string';
    for (const json of ['1e400', '{ "a": [{ "b": 12345678901234567890 }] }']) {
      const { status, json: problem } = await create(json);
      expect(status).to.equal(422);
      expect(problem.errors).to.deep.equal([{ path: 'facts', code: 'wrong-type', message, params: { type: 'json' } }]);
    }
    expect((await create('{ "a": 1e308, "b": "12345678901234567890" }')).status).to.equal(201);
  });

  it('is no JSON if it is infinite: a hook that returns it fails', async () => {
    expect((await texts.ask('POST /api/text/hooked')).status).to.equal(500);
  });
});
