import { expect } from 'chai';
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
