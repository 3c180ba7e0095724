import { expect } from 'chai';
import type {
  DocumentSymbol,
  FoldingRange,
  SemanticTokens,
  SymbolInformation,
  TextEdit,
} from 'vscode-languageserver/node';
import { TOKEN_TYPES } from '../../language-server/features/semantic-tokens.ts';
import { Editor } from './editor.ts';

const SOURCE = `/// Who writes.
/// And signs.
model Author {
  field name { type string, validate { minLength(2) } }
  relation posts {
    from Post
    through author
  }
}

model Post { reference author { to Author }  field mood { type Mood }  index { author, mood } }

enum Mood { good, bad }

api Public {
  entrypoint Author as writer {
    get endpoint { authorize { writer.name is not null } }
    POST one "sign" {}
  }
}
`;

describe('language server: documents', () => {
  let editor: Editor;

  before(async () => {
    editor = new Editor();
    await editor.start();
    await editor.open('blog.kiln', SOURCE);
  });

  after(() => editor.stop());

  const shown = (symbols: readonly DocumentSymbol[]): string =>
    symbols.map(({ name, children = [] }) => (children.length > 0 ? `${name}(${shown(children)})` : name)).join(' ');

  it('gives the outline of a file', async () => {
    const symbols = await editor.askFile<DocumentSymbol[]>('documentSymbol', 'blog.kiln');
    expect(shown(symbols)).to.equal(
      'Author(name posts) Post(author mood index { author, mood }) Mood(good bad) api Public(Author as writer(get POST sign))',
    );
    const [author] = symbols as [DocumentSymbol];
    expect(editor.textAt('blog.kiln', author.selectionRange)).to.equal('Author');
    expect(editor.textAt('blog.kiln', author.range)).to.match(/^model Author \{[\s\S]*\n\}$/);
  });

  it('keeps the outline of what cannot be read just now, and of the rest', async () => {
    await editor.open('blog.kiln', SOURCE.replace('field name { type string,', 'field name { type string, validat'));
    const symbols = await editor.askFile<DocumentSymbol[]>('documentSymbol', 'blog.kiln');
    expect(shown(symbols)).to.match(/^Author\(.*posts\) Post\(author mood/);
    await editor.open('blog.kiln', SOURCE);
  });

  it('finds names in the workspace by some of their letters', async () => {
    const found = await editor.connection.sendRequest<SymbolInformation[]>('workspace/symbol', { query: 'ath' });
    expect(found.map(({ name, containerName }) => `${containerName} ${name}`)).to.deep.equal([
      'blog.kiln Author',
      'Post author',
      'Post index { author, mood }',
      'api Public Author as writer',
    ]);
  });

  it('formats', async () => {
    await editor.open('format.kiln', 'model  A{field x{type string}}\r\n');
    const edits = await editor.askFile<TextEdit[]>('formatting', 'format.kiln', {
      options: { tabSize: 2, insertSpaces: true },
    });
    expect(editor.applied('format.kiln', edits)).to.equal('model A { field x { type string } }\n');
    await editor.open('format.kiln', editor.applied('format.kiln', edits));
    const again = await editor.askFile<TextEdit[]>('formatting', 'format.kiln', { options: {} });
    expect(again).to.deep.equal([]);
  });

  it('leaves a text alone that cannot be read', async () => {
    await editor.open('format.kiln', 'model  A{field x{type string}\n');
    expect(await editor.askFile<TextEdit[]>('formatting', 'format.kiln', { options: {} })).to.deep.equal([]);
    await editor.close('format.kiln');
  });

  it('folds blocks and comments', async () => {
    const found = await editor.askFile<FoldingRange[]>('foldingRange', 'blog.kiln');
    expect(found.map(({ startLine, endLine }) => `${startLine + 1}-${endLine + 1}`)).to.deep.equal([
      '1-2',
      '3-8',
      '5-7',
      '15-19',
      '16-18',
    ]);
  });

  it('colours names by what they mean', async () => {
    const { data } = await editor.askFile<SemanticTokens>('semanticTokens/full', 'blog.kiln');
    const tokens = tokensFrom(data, SOURCE);
    expect(tokens).to.include.members([
      'Author class declaration',
      'name property declaration',
      'string type library',
      'minLength function library',
      'Post class',
      'author property',
      'Mood enum',
      'good enumMember declaration',
      'writer variable declaration',
      'writer variable',
    ]);
  });

  it('colours the names of a range alone', async () => {
    const range = { start: { line: 12, character: 0 }, end: { line: 12, character: 30 } };
    const { data } = await editor.askFile<SemanticTokens>('semanticTokens/range', 'blog.kiln', { range });
    expect(tokensFrom(data, SOURCE)).to.deep.equal([
      'Mood enum declaration',
      'good enumMember declaration',
      'bad enumMember declaration',
    ]);
  });
});

/** The tokens as `text type modifiers`. */
function tokensFrom(data: readonly number[], source: string): readonly string[] {
  const lines = source.split('\n');
  const tokens: string[] = [];
  let line = 0;
  let character = 0;
  for (let at = 0; at < data.length; at += 5) {
    const [lines_, characters, length, type, modifiers] = data.slice(at, at + 5) as [
      number,
      number,
      number,
      number,
      number,
    ];
    line += lines_;
    character = lines_ > 0 ? characters : character + characters;
    const text = (lines[line] as string).slice(character, character + length);
    const marks = [modifiers & 1 ? ' declaration' : '', modifiers & 2 ? ' library' : ''].join('');
    tokens.push(`${text} ${TOKEN_TYPES[type]}${marks}`);
  }
  return tokens;
}
