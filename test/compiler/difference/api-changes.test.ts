/**
 * What callers notice. Every edit of the corpus has what Kiln says of it and what `oasdiff` 1.15.0 says of the two OpenAPI
 * documents, in `api/verdicts.json`. `UPDATE_GOLDEN=1` writes the part of Kiln; with `OASDIFF=<program>` that of the judge too.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { compile } from '../../../compiler/compile.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { apiChanges } from '../../../compiler/difference/api-changes.ts';
import { type Both, RULES } from '../../../compiler/difference/api-rules.ts';
import type { ApiChange } from '../../../compiler/difference/difference.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { readDocument } from '../../support/document-parts.ts';
import { expectComplete } from './api/complete.ts';
import { CORPUS, type Edit, EXCEPTIONS } from './api/corpus.ts';
import { compiled, documentOf } from './api/edited.ts';

interface Verdicts {
  readonly kiln: readonly string[];
  readonly oasdiff: readonly string[];
}

const FILE = resolve(import.meta.dirname, 'api/verdicts.json');
const IS_UPDATE = process.env.UPDATE_GOLDEN === '1';
const { OASDIFF } = process.env;

describe('what callers of an API notice', () => {
  const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Verdicts>;
  const found = new Map<string, readonly ApiChange[]>();
  const definitions = new Map<string, Both<Definition>>();
  /** The rules for what takes the edits back. */
  const rulesBack = new Set<string>();

  before(async () => {
    await loadGrammar();
    for (const edit of CORPUS) {
      const { before, after } = compiled(edit);
      definitions.set(edit.name, { before, after });
      found.set(edit.name, apiChanges(before, after));
      for (const { rule } of apiChanges(after, before)) rulesBack.add(rule);
    }
    if (IS_UPDATE) write(found, recorded);
  });

  for (const { name } of CORPUS) {
    it(`is told: ${name}`, () => {
      const lines = found.get(name)?.map(lineOf);
      expect(lines).to.deep.equal(IS_UPDATE ? lines : recorded[name]?.kiln);
    });

    it(`is what the outside judge says: ${name}`, () => {
      const [ours, theirs] = [breakingOf(found.get(name) ?? []), judgedBreaking(recorded[name]?.oasdiff ?? [])];
      expect(differsFrom(ours, theirs)).to.equal(EXCEPTED.has(name));
    });
  }

  it('has a corpus of many edits, each under a name of its own', () => {
    expect(new Set(CORPUS.map(({ name }) => name)).size).to.equal(CORPUS.length);
    expect(CORPUS.length).to.be.greaterThan(120);
    expect(Object.keys(recorded).sort()).to.deep.equal(CORPUS.map(({ name }) => name).sort());
  });

  it('has an edit for every rule, or one that takes it back', () => {
    const rules = new Set([...found.values()].flat().map(({ rule }) => rule));
    // Those are in verdicts.test.ts, those of webhooks in webhooks.test.ts, and those of live lists and of `stale` in live.test.ts.
    expect(Object.keys(RULES).filter((rule) => !rules.has(rule) && !rulesBack.has(rule))).to.deep.equal([
      'webhook-removed',
      'webhook-added',
      'signature-required',
      'signature-not-required',
      'refusal-added',
      'refusal-removed',
      'refusal-status-changed',
      'refusal-changed',
      'transactions-changed',
      'delete-restricted',
      'list-not-live',
      'list-live',
      'staleness-changed',
    ]);
  });

  it('has every rule with its level in docs/compatibility.md', () => {
    const rows = [...DOCUMENT.matchAll(/^\| `([a-z-]+)` \| (breaking|compatible) \|/gm)];
    expect(Object.fromEntries(rows.map(([, rule, level]) => [rule, level]))).to.deep.equal(RULES);
  });

  it('has an argument for every exception in docs/compatibility.md', () => {
    const argued = [...DOCUMENT.matchAll(/^\| \*\*([a-z ]+)\*\* \|/gm)].map(([, name]) => name);
    expect(argued.sort()).to.deep.equal(Object.keys(EXCEPTIONS).sort());
  });

  it('is all that a document shows, and nothing where it shows nothing', () => {
    // Where both have seen something, the documents differ and it is told.
    const isSeen = (name: string) => found.get(name)?.length !== 0 && recorded[name]?.oasdiff.length !== 0;
    for (const [name, both] of definitions) if (!isSeen(name)) expectComplete(both, name);
  });

  it('is about what has changed, as narrowly as can be said', () => {
    const subjectOf = (name: string) => found.get(name)?.[0]?.subject;
    expect(subjectOf('a text must be longer')).to.deep.equal({ kind: 'model', name: 'Post', member: 'title' });
    expect(subjectOf('an input is required by its endpoint')).to.deep.equal({
      kind: 'endpoint',
      id: 'post.create',
      input: 'subtitle',
    });
    expect(subjectOf('a property may be null')).to.deep.equal({ kind: 'model', name: 'Post', member: 'author' });
    expect(subjectOf('a property is removed')).to.deep.equal({ kind: 'endpoint', id: 'post.list' });
    expect(subjectOf('an enum has a new value')).to.deep.equal({ kind: 'enum', name: 'Status' });
    expect(subjectOf('a model is renamed')).to.deep.equal({ kind: 'model', name: 'Writer' });
  });

  it('compares the digits of a decimal', () => {
    const PRICE = 'field price { type decimal, nullable }';
    const typed = (type: string) => PRICE.replace('decimal', type);
    const told = (before: string, after: string) => {
      const both = compiled({
        name: 'digits',
        before: [[PRICE, typed(before)]],
        replace: [[typed(before), typed(after)]],
      });
      const ours = apiChanges(both.before, both.after).filter(
        ({ endpoint }) => endpoint === 'PATCH /api/post/{post_slug}',
      );
      return ours.map(lineOf).map((line) => line.replace('PATCH /api/post/{post_slug}: ', ''));
    };
    expect(told('decimal', 'decimal(12, 2)')).to.deep.equal([
      'breaking input-stricter: the input `price` must have at most 12 digits, 2 of them after the point now',
      'compatible property-type-narrower: the property `price` of the response has 2 digits after the point now',
    ]);
    expect(told('decimal(12, 2)', 'decimal(14, 2)')).to.deep.equal([
      'compatible input-laxer: the input `price` must have at most 14 digits, 2 of them after the point now',
    ]);
    expect(told('decimal(12, 2)', 'decimal')).to.deep.equal([
      'breaking property-type-changed: the property `price` of the response may have any number of digits now',
      'compatible input-laxer: the input `price` may have any number of digits now',
    ]);
    expect(told('decimal(12, 2)', 'decimal(12,2)')).to.deep.equal([]);
  });

  it('compares the bounds of a decimal as numbers', () => {
    const INTEGER = 'field rating { type integer, default 0, validate { min(0) and max(5) } }';
    const decimalWith = (validators: string) => `field rating { type decimal, default 0, validate { ${validators} } }`;
    const bounds = (before: string, after: string) => {
      const both = compiled({ name: 'bounds', before: [[INTEGER, before]], replace: [[before, after]] });
      const told = apiChanges(both.before, both.after).filter(({ rule }) => rule.startsWith('input-'));
      return told.filter(({ endpoint }) => endpoint === 'POST /api/post').map(lineOf);
    };
    const DECIMAL = decimalWith('min(0) and max(5.50)');
    expect(bounds(DECIMAL, decimalWith('min(0) and max(5.5)'))).to.deep.equal([]);
    expect(bounds(DECIMAL, decimalWith('min(0) and max(6)'))).to.deep.equal([
      'compatible input-laxer: POST /api/post: the input `rating` must be at most 6 now, not 5.5',
    ]);
    expect(bounds(DECIMAL, decimalWith('min(0.01) and max(5.50)'))).to.deep.equal([
      'breaking input-stricter: POST /api/post: the input `rating` must be at least 0.01 now, not 0',
    ]);
    // Two decimals that are one number in JavaScript.
    expect(
      bounds(decimalWith('max(1.00000000000000000001)'), decimalWith('max(1.00000000000000000002)')),
    ).to.deep.equal([
      'breaking input-check-changed: POST /api/post: the input `rating` must be at most 1.00000000000000000002 now; before, it had to be at most 1.00000000000000000001',
    ]);
    // The type is another one, but the bounds are the same.
    expect(bounds(INTEGER, decimalWith('min(0) and max(5)')).filter((line) => line.includes('at least'))).to.deep.equal(
      [],
    );
  });

  it('says what has changed in the words of the language', () => {
    const MODELS =
      'model Post { field title { type string } field photo { type file, nullable, accept { "image/png", "image/jpeg" } } computed size { length(title) } }';
    const text = `${MODELS} setting URL {} setting KEY { secret } shape Card of Post { id }
      webhook "made" { on create of Post as post to { url setting(URL), secret setting(KEY) } body { size } }
      api { entrypoint Post as post {
        get endpoint { response Card }
        update endpoint { method PUT, PATCH, response Card }
        POST many "many" { extra inputs { list lines { field a { type integer } } } action { respond { httpStatus 204 } } }
      } }`;
    const told = (...replacements: readonly (readonly [string, string])[]) => {
      const changed = replacements.reduce((known, [from, to]) => known.replaceAll(from, to), text);
      const [before, after] = [text, changed].map((each) => compile([{ path: 'main.kiln', text: each }]).definition);
      return apiChanges(before as Definition, after as Definition).map(lineOf);
    };
    expect(told(['response Card', 'response { id }'])).to.deep.equal([
      'compatible schema-renamed: a part of responses is called after its endpoint in clients now, not `Card` (`GET /api/post/{post_id}` and 2 more endpoints)',
    ]);
    expect(told(['list lines { field a { type integer } }', 'field lines { type [integer] }'])).to.include(
      'breaking input-type-changed: POST /api/post/many: the input `lines` is of the type `[integer]` now, not a list of objects',
    );
    expect(told(['"image/png", "image/jpeg"', '"image/*"'])[0]).to.equal(
      'compatible input-laxer: PATCH /api/post/{post_id}: the input `photo` takes image/* now',
    );
    expect(told(['method PUT, PATCH', 'method PUT'])).to.deep.equal([
      'breaking endpoint-removed: PATCH /api/post/{post_id} is removed',
      'compatible operation-renamed: PUT /api/post/{post_id} is called `update` in clients now, not `updatePut`',
    ]);
    expect(told(['length(title)', '7'])).to.deep.equal([
      'breaking property-meaning-changed: webhook made: the property `size` of the body has another value now',
    ]);
  });

  it('has breaking changes first, then the order of the endpoints', () => {
    for (const changes of found.values()) {
      const keys = changes.map(({ level, endpoint }) => `${level} ${endpoint ?? ''}`);
      expect(keys).to.deep.equal([...keys].sort());
    }
  });
});

const DOCUMENT = readDocument('docs/compatibility.md');
const EXCEPTED: ReadonlySet<string> = new Set(Object.values(EXCEPTIONS).flat());

function lineOf({ level, rule, says }: ApiChange): string {
  return `${level} ${rule}: ${says}`;
}

// ── The outside judge ───────────────────────────────────────────────────────────────────────────────────────────────

interface Breaking {
  readonly isBreaking: boolean;
  /** The endpoints, without the names of parameters. Null where they cannot be compared. */
  readonly endpoints: readonly string[] | null;
}

/** An endpoint that moved is at another path for the judge, and what is said of an enum names no endpoint. */
function breakingOf(changes: readonly ApiChange[]): Breaking {
  const breaking = changes.filter(({ level }) => level === 'breaking');
  const isElsewhere = changes.some(({ endpoint, rule }) => endpoint === null || rule === 'endpoint-moved');
  const endpoints = breaking.map(({ endpoint }) => withoutNames(endpoint ?? ''));
  return { isBreaking: breaking.length > 0, endpoints: isElsewhere ? null : [...new Set(endpoints)].sort() };
}

/** As the command `oasdiff breaking` lists them: errors, and warnings of what may break a client. */
function judgedBreaking(lines: readonly string[]): Breaking {
  const breaking = lines.filter((line) => /^(ERR|WARN) /.test(line)).map((line) => line.split(' '));
  const endpoints = breaking.map(([, , method, path]) => withoutNames(`${method} ${path}`));
  return { isBreaking: breaking.length > 0, endpoints: [...new Set(endpoints)].sort() };
}

function withoutNames(endpoint: string): string {
  return endpoint.replace(/\{[^}]*\}/g, '{}');
}

function differsFrom(ours: Breaking, theirs: Breaking): boolean {
  if (ours.endpoints === null) return ours.isBreaking !== theirs.isBreaking;
  return JSON.stringify(ours.endpoints) !== JSON.stringify(theirs.endpoints);
}

// ── Recording ───────────────────────────────────────────────────────────────────────────────────────────────────────

function write(found: ReadonlyMap<string, readonly ApiChange[]>, recorded: Readonly<Record<string, Verdicts>>): void {
  const verdicts = CORPUS.map((edit) => {
    const known = recorded[edit.name]?.oasdiff;
    const oasdiff = OASDIFF && known === undefined ? judged(edit, OASDIFF) : (known ?? []);
    return [edit.name, { kiln: (found.get(edit.name) ?? []).map(lineOf), oasdiff }] as const;
  });
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(verdicts), null, 2)}\n`);
}

const LEVELS = ['', 'INFO', 'WARN', 'ERR'];

function judged(edit: Edit, program: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-judge-'));
  const [before, after] = [join(folder, 'before.json'), join(folder, 'after.json')];
  const definitions = compiled(edit);
  writeFileSync(before, JSON.stringify(documentOf(definitions.before)));
  writeFileSync(after, JSON.stringify(documentOf(definitions.after)));
  const text = execFileSync(program, ['changelog', before, after, '--format', 'json'], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  const changes = (JSON.parse(text || '[]') ?? []) as readonly Judged[];
  const lines = changes.map(
    ({ id, level, operation = '', path = '' }) => `${LEVELS[level]} ${id} ${operation} ${path}`,
  );
  return [...new Set(lines.map((line) => line.trim()))];
}

interface Judged {
  readonly id: string;
  readonly level: number;
  readonly operation?: string;
  readonly path?: string;
}
