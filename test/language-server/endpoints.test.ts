import { expect } from 'chai';
import type { CodeLens, InitializeResult, InlayHint, Range, SignatureHelp } from 'vscode-languageserver/node';
import { Editor } from './editor.ts';

const MODELS = `model Author {
  field email { type string, unique }
  relation posts { from Post, through author }
}

model Post {
  reference author { to Author }
  field title { type string }
  field body { type string, nullable }
  field stars { type integer, default 0, internal }
  field published { type boolean, default false }
}

validator between {
  arg value { type integer }
  arg low { type integer }
  arg high { type integer }
  assert { value >= low and value <= high }
}

auth { model Author }
`;

const API = `api {
  entrypoint Post as post {
    list endpoint { filter { published is true } }
    get endpoint {}
    create endpoint { authorize { @auth is not null }, action { create { set author @auth } } }
    update endpoint { authorize { post.author is @auth } }
    delete endpoint { authorize { post.author.email is "a" or post.author is @auth } }
    POST one "publish" {
      authorize { true }
      action { update post { set published true } }
    }
  }
}

api Admin {
  entrypoint Author as author {
    entrypoint posts as post {
      create endpoint { action { create { input { body } } } }
    }
  }
}
`;

const WHOLE: Range = { start: { line: 0, character: 0 }, end: { line: 1000, character: 0 } };

describe('language server: endpoints', () => {
  let editor: Editor;
  let start: InitializeResult;

  before(async () => {
    editor = new Editor();
    start = await editor.start({ 'models.kiln': MODELS });
    await editor.open('api.kiln', API);
  });

  after(() => editor.stop());

  async function lenses(): Promise<readonly string[]> {
    const found = await editor.askFile<CodeLens[]>('codeLens', 'api.kiln');
    return found.map(({ range, command }) => `${range.start.line + 1}: ${command?.title}`);
  }

  const hints = async () => {
    const found = await editor.askFile<InlayHint[]>('inlayHint', 'api.kiln', { range: WHOLE });
    return found.map(({ position, label }) => `${position.line + 1}:${position.character} ${label}`);
  };

  it('shows the route and the access of each', async () => {
    expect(await lenses()).to.deep.equal([
      '3: GET /api/post · anyone; records: published is true',
      '4: GET /api/post/{post_id} · anyone',
      '5: POST /api/post · signed in',
      '6: PATCH /api/post/{post_id} · post.author is @auth',
      '7: DELETE /api/post/{post_id} · post.author.email is "a" or post.author is @auth',
      '8: POST /api/post/{post_id}/publish · anyone',
      '18: POST /api/admin/author/{author_id}/posts · anyone',
    ]);
  });

  it('shows the inputs that are not listed', async () => {
    expect(await hints()).to.deep.equal([
      '5:19 takes title, body?, published?',
      '6:19 takes author_id?, title?, body?, published?',
      '18:21 takes title',
    ]);
  });

  it('tells their types', async () => {
    const [first] = await editor.askFile<InlayHint[]>('inlayHint', 'api.kiln', { range: WHOLE });
    expect(first?.tooltip).to.have.property('value').that.includes('- `title`: a string');
  });

  it('shows what it can beside a mistake', async () => {
    const broken = API.replace('post.author is @auth }', 'post.auhtor is @auth }');
    await editor.open('api.kiln', broken);
    const found = await lenses();
    expect(found).to.include('4: GET /api/post/{post_id} · anyone').and.to.have.lengthOf(7);
    await editor.open('api.kiln', API);
  });

  it('says that it has them', () => {
    expect(start.capabilities).to.include.keys('codeLensProvider', 'inlayHintProvider', 'signatureHelpProvider');
  });

  /** Where the cursor is; the signature, with the argument that is being written in `<>`. */
  const CALLS: readonly (readonly [source: string, shown: string | null])[] = [
    ['model A { field x { type string }, computed y { round(|) } }', 'round(<number>, places?)'],
    ['model A { field x { type float }, computed y { round(x, |) } }', 'round(number, <places?>)'],
    ['model A { field x { type float }, computed y { concat("a", "(", x, |', 'concat(value, <…>)'],
    ['model A { field x { type float }, computed y { round(abs(|x), 2) } }', 'abs(<number>)'],
    ['model A { field x { type float }, computed y { round(abs(x)|, 2) } }', 'round(<number>, places?)'],
    ['model A { field x { type string, validate { minLength(|) } } }', 'minLength(<characters>)'],
    ['model A { field x { type string }, computed y { setting(|) } }', 'setting(<NAME>)'],
    ['model A { field x { type integer, validate { min(|) } } }', 'min(<least>)'],
    ['model A { relation r { from A, through x }, computed y { min(|) } }', 'min(<records.value>)'],
    [
      'model A { field x { type integer, validate { between(1, |) } } }',
      'between(low: an integer, <high: an integer>)',
    ],
    [
      'populator P { populate Post { set title faker.helpers.arrayElement(["a", |]) } }',
      'faker.helpers.arrayElement(<list>)',
    ],
    ['populator P { populate Post { set title faker.lorem.words(|) } }', 'faker.lorem.words(<number?>)'],
    ['model A { field x { type string }, computed y { (|x) } }', null],
    ['model A { field x { type string }, computed y { round(x) + | } }', null],
    ['model A { field x { type string }, computed y { nothing(|) } }', null],
  ];
  for (const [source, shown] of CALLS) {
    it(`shows ${shown ?? 'no signature'} in ${source}`, async () => {
      const found = await editor.ask<SignatureHelp | null>('signatureHelp', await editor.open('now.kiln', source));
      expect(found && marked(found)).to.equal(shown);
    });
  }
});

function marked({ signatures: [signature], activeParameter }: SignatureHelp): string | undefined {
  const label = signature?.parameters?.[activeParameter ?? 0]?.label as string | undefined;
  const call = signature?.label ?? '';
  const at = label === undefined ? -1 : call.indexOf(label, call.indexOf('('));
  return at < 0 ? call : `${call.slice(0, at)}<${label}>${call.slice(at + (label as string).length)}`;
}
