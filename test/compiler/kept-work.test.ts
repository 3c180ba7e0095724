/** A compilation that goes on from the last one gives what one from the beginning gives, whatever was edited in between. */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { changesBeside } from '../../compiler/change/changes-beside.ts';
import { changesBetween } from '../../compiler/change/changes-between.ts';
import { type Compilation, compile } from '../../compiler/compile.ts';
import { LOGIN_FAILURES, TOKENS } from '../../compiler/definition/accounts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { definitionText } from '../../compiler/definition/definition-text.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { apiChanges } from '../../compiler/difference/api-changes.ts';
import { migrationFrom } from '../../compiler/emit/migration/migration-from.ts';
import { KeptWork } from '../../compiler/kept-work.ts';
import type { Program } from '../../compiler/program/program.ts';
import { schemaFingerprint, storageFingerprint } from '../../compiler/schema/fingerprint.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import type { FileText, SourceFile } from '../../compiler/source/source-file.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { fileTextIn } from '../../files/file-text.ts';
import { readSources } from '../../files/read-sources.ts';
import { sourceHooks } from '../../pipeline/hooks/source-hooks.ts';
import { caseFiles } from '../support/case-file.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** A few in each run; `KEPT_RUNS=100` tries more, and all cases. */
const RUNS = Number(process.env.KEPT_RUNS ?? 4);
const EVERY = RUNS < 100 ? 9 : 1;

describe('a compilation with what was kept of the last one', function () {
  this.timeout(300_000);

  before(() => loadGrammar());

  it('gives the same for cases of the language and its rules, before and after an edit', () => {
    const cases = ['rules', 'language'].flatMap((folder) => caseFiles(join(ROOT, 'test/compiler', folder)));
    expect(cases).to.have.length.greaterThan(600);
    for (const [index, { name, sources, files }] of cases.entries()) {
      if (index % EVERY > 0) continue;
      const fileText: FileText = (path) => files.get(path);
      const kept = new KeptWork();
      const [first, ...others] = sources as [SourceFile, ...SourceFile[]];
      const lines = first.text.split('\n');
      const texts = [
        first.text,
        `// Moved.\n${first.text}`,
        lines.toSpliced(index % lines.length, 1).join('\n'),
        first.text,
        lines.toSpliced((index * 7) % lines.length, 0, '').join('\n'),
      ];
      for (const text of texts) expectSame([{ ...first, text }, ...others], fileText, kept, name);
    }
  });

  for (const example of ['blog', 'bookings', 'helpdesk', 'shop']) {
    it(`gives the same for ${example} after ${RUNS} sequences of edits`, () => {
      const { sources, fileText } = inSingleDeclarations(example);
      fc.assert(
        fc.property(fc.array(edit(), { minLength: 2, maxLength: 7 }), (edits) => {
          const kept = new KeptWork();
          compile(sources, fileText, { kept });
          let now = sources;
          for (const one of edits) {
            now = edited(now, sources, one);
            if (now.length > 0) expectSame(now, fileText, kept, example);
          }
          expectSame(sources, fileText, kept, example);
        }),
        { numRuns: RUNS },
      );
    });
  }

  const lostReferences = [
    { example: 'helpdesk', model: 'Agent', reference: 'user' },
    { example: 'blog', model: 'Tagging', reference: 'post' },
  ];
  for (const { example, model, reference } of lostReferences) {
    it(`gives the same for ${example} when ${model}.${reference} goes, which a relation goes through`, () => {
      const { sources, fileText } = inSingleDeclarations(example);
      const kept = new KeptWork();
      expectSame(sources, fileText, kept, example);
      const now = sources.map((source) => {
        const isModel = source.text.includes(`model ${model} {`);
        return isModel ? { ...source, text: withoutMember(source.text, `reference ${reference}`) } : source;
      });
      expect(now).not.to.deep.equal(sources);
      expectSame(now, fileText, kept, example);
      expectSame(sources, fileText, kept, example);
    });
  }

  it('gives the same for a query that comes to nothing after an edit of what it reads', () => {
    const author = `model Author {
  relation posts { from Post, through author }
  query latest { from posts as post, order by { post.id desc } }
  computed longest { max(latest.size) }
}
`;
    const post = (members: string) => ({ path: 'post.kiln', text: `model Post {\n${members}}\n` });
    const kept = new KeptWork();
    for (const members of [
      '  reference author { to Author }\n  field size { type integer }\n',
      '  field name { type string }\n',
    ])
      expectSame([{ path: 'author.kiln', text: author }, post(members)], () => undefined, kept, members);
  });

  it('gives the same after a check that has thrown', () => {
    const { sources, fileText } = inSingleDeclarations('shop');
    const kept = new KeptWork();
    expectSame(sources, fileText, kept, 'shop');
    const now = sources.map((source) => ({
      ...source,
      text: source.text.replace(/^(model (?:Product|Order)\b.*\{)$/m, '$1\n  field extra { type string, default "x" }'),
    }));
    const broken: FileText = () => {
      throw new Error('This file cannot be read.');
    };
    expect(() => compile(now, broken, { kept })).to.throw('This file cannot be read.');
    expectSame(sources, fileText, kept, 'shop');
  });

  it('gives the same places for an `id` that has moved', () => {
    const text = 'model Order {\n  field id { type uuid }\n  field total { type integer }\n}\n';
    const kept = new KeptWork();
    for (const now of [text, `\n${text}`]) expectSame([{ path: 'a.kiln', text: now }], () => undefined, kept, 'id');
  });

  it('gives the same for an edit that joins members to a row that is too long', () => {
    const kept = new KeptWork();
    for (const gaps of [[5], [], [5, 100, 200], [], [90, 180, 270], [90, 270]])
      expectSame(rowOfMembers(310, gaps), () => undefined, kept, `with gaps at ${gaps}`);
  });

  it('gives the same for an edit of something else when shapes are too deep but for the order of their use', () => {
    const kept = new KeptWork();
    const sources = rowOfShapes(110);
    const moved = sources.map((source) => ({ ...source, text: source.text.replace('"x"', '"y"') }));
    for (const now of [sources, moved, sources]) expectSame(now, () => undefined, kept, 'shapes');
  });

  it('gives the same names of keys when another model takes one of them, or gives it back', () => {
    const short = (member: string) => ({ path: 'a.kiln', text: `model A {\n  ${member}\n}\n` });
    const others = {
      path: 'b.kiln',
      text: 'model A_B {\n  field c { type string, index }\n  field d { type string, unique }\n}\n',
    };
    const third = { path: 'c.kiln', text: 'model C {\n  reference a_b { to A_B, nullable }\n}\n' };
    const kept = new KeptWork();
    for (const member of [
      'field x { type string }',
      'field b_c { type string, index }',
      'field b_d { type string, unique }',
      'field b_c { type string }',
      'field x { type string }',
    ])
      expectSame([short(member), others, third], () => undefined, kept, member);
    expect(LAST.get(kept)?.fresh.models).to.have.length(3);
  });

  it('gives the same for searches, which have indexes, and for enums and tables that are called otherwise', () => {
    const models = `model Post {
  field title { type string }
  field state { type State, default "draft" }
  reference author { to Author, nullable }
}
`;
    const author = 'model Author {\n  field name { type string }\n}\n';
    const states = 'enum State { draft, live }\n';
    const api = (list: string) => `api {\n  entrypoint Post {\n    list endpoint ${list}\n  }\n}\n`;
    const kept = new KeptWork();
    const edits: readonly (readonly [string, string, string, string])[] = [
      [models, author, states, api('{}')],
      [models, author, states, api('{ searchable { title } }')],
      [models, author, states, api('{}')],
      [models, author, 'enum State { draft, live, gone }\n', api('{}')],
      [models.replace('"draft"', '"first"'), author, 'enum State { first was draft, live }\n', api('{}')],
      [models.replace('type State', 'type Stage'), author, 'enum Stage was State { draft, live }\n', api('{}')],
      [models.replace('to Author', 'to Writer'), author.replace('Author', 'Writer was Author'), states, api('{}')],
    ];
    for (const [index, texts] of edits.entries()) {
      const sources = texts.map((text, file) => ({ path: `${file}.kiln`, text }));
      expectSame(sources, () => undefined, kept, `edit ${index}`);
      expect(compile(sources).definition, `edit ${index}`).not.to.equal(undefined);
    }
  });

  it('keeps endpoints that use members which ask for the caller', () => {
    const sources = (own: string, title: string) => [
      { path: 'user.kiln', text: 'auth { model User } model User { field email { type string } }' },
      { path: 'post.kiln', text: `model Post { reference author { to User } computed own { ${own} } }` },
      { path: 'note.kiln', text: `model Note { field title { type string, default "${title}" } }` },
      {
        path: 'api.kiln',
        text: 'api { entrypoint Post { response { id, own } get endpoint {} } entrypoint Note { response { id } get endpoint {} } }',
      },
    ];
    const kept = new KeptWork();
    const definitions = [
      sources('author is @auth', 'a'),
      sources('author is @auth', 'b'),
      sources('author.email is @auth.email', 'b'),
    ].map((each) => {
      expectSame(each, () => undefined, kept, JSON.stringify(each));
      return compile(each, () => undefined, { kept }).definition;
    });
    const [first, second, third] = definitions;
    expect(first?.endpoints.map(({ id, authReads }) => [id, authReads.length])).to.deep.equal([
      ['note.get', 0],
      ['post.get', 1],
    ]);
    expect(sharedEndpoints(first, second)).to.deep.equal(['post.get']);
    expect(sharedEndpoints(second, third)).to.deep.equal(['note.get']);
  });

  it('keeps what no edit can have changed', () => {
    const { sources } = readSources(join(ROOT, 'examples/helpdesk'));
    const fileText = fileTextIn(join(ROOT, 'examples/helpdesk'));
    const kept = new KeptWork();
    const before = compile(sources, fileText, { kept }).definition;
    const moved = sources.map(({ path, text }) => ({ path, text: path === 'tickets.kiln' ? `\n${text}` : text }));
    const after = compile(moved, fileText, { kept }).definition;
    const isSame = (one: object, index: number) => one === before?.endpoints[index];
    // One has the limits of a password added to it, each time.
    expect(after?.endpoints.filter(isSame)).to.have.length((before?.endpoints.length ?? 0) - 1);
    const [tables, tablesAfter] = [before, after].map((each) => schemaFromDefinition(each as Definition).tables);
    const others = tablesAfter?.filter((table, index) => table !== tables?.[index]).map(({ name }) => name);
    // Kiln's own, and those of the file that was edited.
    expect(others).to.have.members([TOKENS, LOGIN_FAILURES, 'message', 'rating', 'ticket']);
  });
});

/** What two definitions share: their endpoints. */
function sharedEndpoints(one: Definition | undefined, other: Definition | undefined): readonly string[] {
  const endpoints = new Set(one?.endpoints);
  return (other?.endpoints ?? []).filter((endpoint) => endpoints.has(endpoint)).map(({ id }) => id);
}

/** An example with a file for each declaration, so that an edit leaves the syntax of all the others as it is. */
function inSingleDeclarations(example: string): { sources: readonly SourceFile[]; fileText: FileText } {
  const folder = join(ROOT, 'examples', example);
  const sources = readSources(folder).sources.flatMap(({ path, text }) =>
    text
      .split(/(?<=^(?:\}|[a-z].*\})\n)/m)
      .map((part, index) => ({ path: path.replace(/\.kiln$/, `-${String(index).padStart(3, '0')}.kiln`), text: part })),
  );
  return { sources, fileText: fileTextIn(folder) };
}

/** Models, each with a value that is made of the value of the next one, but for the gaps. */
function rowOfMembers(length: number, gaps: readonly number[]): readonly SourceFile[] {
  return Array.from({ length }, (_, index) => {
    const isLast = index === length - 1;
    const reference = isLast ? '' : `reference next { to M${index + 1} }`;
    const value = isLast || gaps.includes(index) ? '1' : 'next.value';
    const text = `model M${index} {\n  ${reference}\n  computed value { ${value} }\n}\n`;
    return { path: `${String(index).padStart(4, '0')}.kiln`, text };
  });
}

/** Shapes, each with the next one in it. The one in the middle is used first, so that none is too deep. */
function rowOfShapes(length: number): readonly SourceFile[] {
  const shapes = Array.from({ length }, (_, index) => {
    const inner = index === length - 1 ? '' : `, next S${index + 1}`;
    return `shape S${index} of Node { id${inner} }\n`;
  });
  const entrypoint = (path: string, shape: number) =>
    `  entrypoint Node {\n    path "${path}"\n    list endpoint { response S${shape} }\n  }\n`;
  return [
    { path: 'models.kiln', text: 'model Node {\n  reference next { to Node }\n}\n' },
    { path: 'other.kiln', text: 'model Other {\n  field name { type string, default "x" }\n}\n' },
    { path: 'shapes.kiln', text: shapes.join('') },
    { path: 'api.kiln', text: `api {\n${entrypoint('middle', length / 2)}${entrypoint('first', 0)}}\n` },
  ];
}

function withoutMember(text: string, head: string): string {
  return text.replace(new RegExp(`^  ${head} .*\n`, 'm'), '');
}

/** What is done to one line, or to several. The line says nothing where it has no such thing. */
const LINE_EDITS = {
  drop: () => '',
  double: (line: string) => `${line}${line}`,
  blank: (line: string) => `\n${line}`,
  type: (line: string) => line.replace(/\btype (\w+)/, (_, type) => `type ${type === 'string' ? 'integer' : 'string'}`),
  list: (line: string) => line.replace(/\btype (\w+)/, 'type [$1]'),
  flag: (line: string, at: number) => {
    const flag = FLAGS[at % FLAGS.length] as string;
    const without = line.replace(new RegExp(`, ${flag}\\b`), '');
    return without === line ? line.replace(/^( {2}(?:field|reference) \w+ \{ .*?) \}/, `$1, ${flag} }`) : without;
  },
  target: (line: string, at: number, models: readonly string[]) =>
    line.replace(/\b(to|from) [A-Z]\w*/, `$1 ${models[at % models.length]}`),
} satisfies Record<string, (line: string, at: number, models: readonly string[]) => string>;

const FLAGS = ['nullable', 'unique', 'index', 'internal', 'secret'];

/** What is written at the beginning of a model. */
const NEW_MEMBERS = {
  field: (at: number) => `field extra_${at} { type string, default "x" }`,
  id: () => 'field id { type uuid }',
  reference: (at: number, models: readonly string[]) =>
    `reference extra_${at} { to ${models[at % models.length]}, nullable }`,
  key: (at: number, _: readonly string[], fields: readonly string[]) =>
    `${at % 2 ? 'unique' : 'index'} { id, ${fields[at % fields.length]} }`,
  computed: (at: number, _: readonly string[], fields: readonly string[]) =>
    `computed extra_${at} { ${fields[at % fields.length]} }`,
} satisfies Record<string, (at: number, models: readonly string[], fields: readonly string[]) => string>;

type LineEdit = keyof typeof LINE_EDITS;
type NewMember = keyof typeof NEW_MEMBERS;
const FILE_EDITS = ['rename', 'remove', 'restore', 'rename-file'] as const;
const MODEL_EDITS = [...Object.keys(NEW_MEMBERS), 'without', 'type', 'list', 'flag', 'target'] as (
  | NewMember
  | LineEdit
  | 'without'
)[];

interface Edit {
  readonly kind: LineEdit | NewMember | 'without' | (typeof FILE_EDITS)[number];
  /** Of a model, of which most is kept. */
  readonly ofModel: boolean;
  readonly file: number;
  readonly at: number;
}

function edit(): fc.Arbitrary<Edit> {
  const place = { file: fc.nat(100), at: fc.nat(10_000) };
  const lineKinds = Object.keys(LINE_EDITS) as LineEdit[];
  return fc.oneof(
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom(...lineKinds), ofModel: fc.constant(false), ...place }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom(...FILE_EDITS), ofModel: fc.constant(false), ...place }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constantFrom(...MODEL_EDITS), ofModel: fc.constant(true), ...place }),
    },
    // After an error nothing is kept, so the errors are taken back often.
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('restore' as const), ofModel: fc.constant(false), ...place }),
    },
  );
}

function edited(now: readonly SourceFile[], original: readonly SourceFile[], one: Edit): readonly SourceFile[] {
  const { kind, ofModel, file, at } = one;
  if (kind === 'restore') return original;
  const files = now.filter(({ text }) => !ofModel || /^model /m.test(text));
  const source = files[file % Math.max(files.length, 1)];
  if (!source) return original;
  const index = now.indexOf(source);
  if (kind === 'remove') return now.toSpliced(index, 1);
  if (kind === 'rename-file') return now.toSpliced(index, 1, { ...source, path: `z-${source.path}` });
  const models = now.flatMap(({ text }) => [...text.matchAll(/^model (\w+)/gm)].map(([, name]) => name as string));
  return now.toSpliced(index, 1, { ...source, text: editedText(source.text, kind, at, models) });
}

type TextEdit = Exclude<Edit['kind'], 'restore' | 'remove' | 'rename-file'>;

function editedText(text: string, kind: TextEdit, at: number, models: readonly string[]): string {
  if (kind === 'rename') {
    const words = [...new Set(text.match(/[A-Za-z_]\w+/g))];
    const word = words[at % words.length] ?? 'x';
    return text.replace(new RegExp(`\\b${word}\\b`, 'g'), `${word}2`);
  }
  if (kind === 'without') {
    const members = text.match(/^ {2}[a-z].*\n(?: {4}.*\n| {2}\}\n|\n)*/gm) ?? [];
    return text.replace(members[at % Math.max(members.length, 1)] ?? '', '');
  }
  if (kind in NEW_MEMBERS) {
    const fields = [...text.matchAll(/^ {2}(?:field|reference) (\w+)/gm)].map(([, name]) => name as string);
    const member = NEW_MEMBERS[kind as NewMember](at, models, ['id', ...fields]);
    return text.replace(/^model \w+ .*\{$/m, (head) => `${head}\n  ${member}`);
  }
  const change = LINE_EDITS[kind as LineEdit];
  const lines = text.split(/(?<=\n)/);
  // The lines at which it changes something.
  const places = lines.flatMap((line, index) => (change(line, at, models) === line ? [] : [index]));
  const place = places[at % Math.max(places.length, 1)] ?? 0;
  return lines.with(place, change(lines[place] as string, at, models)).join('');
}

/** The last definitions of a project: the one that was made with what was kept, and the one that was not. */
const LAST = new WeakMap<KeptWork, Both>();

interface Both {
  readonly withKept: Definition;
  readonly fresh: Definition;
}

/** Also of what is made of the definition, where that is kept too. */
function expectSame(sources: readonly SourceFile[], fileText: FileText, kept: KeptWork, name: string): void {
  const now = compile(sources, fileText, { kept });
  const fresh = compile(sources, fileText);
  expect(told(now, sources), name).to.equal(told(fresh, sources));
  if (now.definition && fresh.definition)
    expectSameUse({ withKept: now.definition, fresh: fresh.definition }, kept, name);
}

function expectSameUse(now: Both, kept: KeptWork, name: string): void {
  const before = LAST.get(kept);
  LAST.set(kept, now);
  expect(storedAndServed(now.withKept, before?.withKept), name).to.equal(storedAndServed(now.fresh, before?.fresh));
}

function storedAndServed(definition: Definition, before: Definition | undefined): string {
  const schema = schemaFromDefinition(definition);
  const digest = createHash('sha256').update(JSON.stringify(schema)).digest('hex');
  expect(schemaFingerprint(schema)).to.equal(digest);
  return JSON.stringify(
    [
      schema,
      storageFingerprint(definition),
      before && changesBetween(before, definition),
      before && changesBeside(before, definition),
      before && migrationFrom(before, definition),
      before && apiChanges(before, definition),
      sourceHooks(definition),
    ],
    null,
    1,
  );
}

function told({ definition, diagnostics, program }: Compilation, sources: readonly SourceFile[]): string {
  return [
    renderText(diagnostics, new SourceMap(sources), { colour: false }),
    definition ? definitionText(definition) : 'no definition',
    program ? JSON.stringify([placesOf(program), program.hookFiles.toSorted()]) : '',
  ].join('\n');
}

/** What people are shown of the places in the sources. */
function placesOf({ models, enums, endpoints }: Program): unknown {
  return [
    enums.map(({ span }) => span),
    models.map(({ span, members, keys }) => [
      span,
      [...members.values()].map((each) => [each.span, each.kind === 'field' ? each.typeSpan : undefined]),
      keys.map((key) => key.span),
    ]),
    endpoints.map(({ span, entrypoint, inputs }) => [span, entrypoint.span, inputs.map((input) => input.span)]),
  ];
}
