import { expect } from 'chai';
import { catalogue } from '../../compiler/diagnostics/catalogue/catalogue.ts';
import { placeOf } from '../../compiler/diagnostics/catalogue/phrases.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import { renderJson } from '../../compiler/diagnostics/render-json.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import type { Words } from '../../compiler/diagnostics/words/words.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import type { SourceFile, Span } from '../../compiler/source/source-file.ts';

// A code that says what the test wants said, so that these examples do not hang on the wording of the catalogue.
const OWN_CODE = 'said-by-the-test';

const users: SourceFile = { path: 'users.kiln', text: '\n\nmodel User {}\n' };
const blog: SourceFile = {
  path: 'blog.kiln',
  text: `${'\n'.repeat(11)}  reference author { to Usr }\n`,
};

describe('a diagnostic', () => {
  before(() => {
    Object.assign(catalogue, { [OWN_CODE]: (words: Words) => words });
  });

  after(() => {
    delete (catalogue as Record<string, unknown>)[OWN_CODE];
  });

  describe('as text', () => {
    it('shows the sentence, the place, the line and the label at the carets', () => {
      const diagnostic: Diagnostic = {
        code: 'unknown-model',
        span: spanOf(blog, 'Usr'),
        facts: {
          user: 'Post.author',
          name: 'Usr',
          near: { name: 'User', span: spanOf(users, 'User') },
        },
      };
      expect(text([diagnostic], [blog, users])).to.equal(
        lines(
          'error[unknown-model]: `Post.author` refers to `Usr`, but no model has that name',
          '  --> blog.kiln:12:25',
          '12 |   reference author { to Usr }',
          '   |                         ^^^ did you mean `User`? It is declared in users.kiln:3',
          '',
          '1 error in 1 file',
        ),
      );
    });

    it('shows notes with the line they are about, then the help, in one gutter', () => {
      const words: Words = {
        message: '`Usr` is declared twice',
        notes: [{ span: spanOf(users, 'User'), text: 'the first one is here' }],
        help: `rename one of them, or drop ${placeOf(spanOf(users, 'User'))}\nand keep this one`,
      };
      expect(text([said(spanOf(blog, 'Usr'), words)], [blog, users])).to.equal(
        lines(
          `error[${OWN_CODE}]: \`Usr\` is declared twice`,
          '  --> blog.kiln:12:25',
          '12 |   reference author { to Usr }',
          '   |                         ^^^',
          'note: the first one is here',
          '  --> users.kiln:3:7',
          ' 3 | model User {}',
          '   |       ^^^^',
          '   = help: rename one of them, or drop users.kiln:3',
          '           and keep this one',
          '',
          '1 error in 1 file',
        ),
      );
    });

    it('counts errors, warnings and files', () => {
      const error = said(spanOf(blog, 'Usr'), { message: 'a' });
      const warning = said(spanOf(users, 'User'), { message: 'b', severity: 'warning' });
      expect(lastLine(text([error, error], [blog]))).to.equal('2 errors in 1 file');
      expect(lastLine(text([error, warning], [blog, users]))).to.equal('1 error and 1 warning in 2 files');
      expect(lastLine(text([warning, warning], [users]))).to.equal('2 warnings in 1 file');
      expect(text([warning], [users])).to.match(/^warning\[/);
    });

    it('says nothing where there is nothing to say', () => {
      expect(text([], [blog])).to.equal('');
    });

    it('marks an empty span with one caret, also at the end of the text', () => {
      expect(snippetOf('model', 5, 5)).to.deep.equal(['1 | model', '  |      ^']);
      expect(snippetOf('', 0, 0)).to.deep.equal(['1 |', '  | ^']);
      expect(snippetOf('model A {\n', 10, 10)).to.deep.equal(['2 |', '  | ^']);
    });

    it('marks a span over several lines by its first line', () => {
      expect(snippetOf('a model A {  \n  x\n}', 2, 18)).to.deep.equal(['1 | a model A {', '  |   ^^^^^^^^^']);
      expect(snippetOf('model A {\r\n}', 6, 12)).to.deep.equal(['1 | model A {', '  |       ^^^']);
    });

    it('expands tabs in the line and above the carets alike', () => {
      expect(snippetOf('\tto\tUsr', 4, 7)).to.deep.equal(['1 |     to  Usr', '  |         ^^^']);
    });

    it('gives wide characters two columns and combining ones none', () => {
      expect(snippetOf('"東京" x', 5, 6)).to.deep.equal(['1 | "東京" x', '  |        ^']);
      expect(snippetOf('"東京"', 1, 3)).to.deep.equal(['1 | "東京"', '  |  ^^^^']);
      expect(snippetOf('"🎉" x', 5, 6)).to.deep.equal(['1 | "🎉" x', '  |      ^']);
      expect(snippetOf('"e\u0301" x', 5, 6)).to.deep.equal(['1 | "e\u0301" x', '  |     ^']);
    });

    it('makes control characters visible in the line, the message and the label', () => {
      expect(snippetOf('a\u001b[2Jb\u202e\ud800', 5, 6)).to.deep.equal(['1 | a�[2Jb��', '  |      ^']);
      const diagnostic = said(spanOf(blog, 'Usr'), { message: 'a\u001bb', label: 'c\u0007' });
      expect(text([diagnostic], [blog]))
        .to.include(': a�b\n')
        .and.include('^^^ c�\n');
    });

    it('shows a window of a long line around the span', () => {
      const long = `${'a '.repeat(200)}Usr${' b'.repeat(200)}`;
      const [line = '', carets = ''] = snippetOf(long, 400, 403);
      expect(line)
        .to.match(/^1 \| …/)
        .and.match(/…$/)
        .and.include('a a Usr b b');
      expect(line.length).to.be.below(130);
      expect(line.indexOf('Usr')).to.equal(carets.indexOf('^^^'));
    });

    it('shows the head of a long line where the span is there, and carets no further than the window', () => {
      const [line = '', carets = ''] = snippetOf(`model ${'x'.repeat(1000)}`, 6, 1006);
      expect(line)
        .to.match(/^1 \| model xxx/)
        .and.match(/x…$/);
      expect(carets.length).to.equal(line.length - 1);
    });

    it('shows a part of a line of a megabyte', () => {
      const [line = ''] = snippetOf('🎉\t'.repeat(400_000), 600_001, 600_002);
      expect(line.length).to.be.below(300);
      const [stacked = ''] = snippetOf(`e${'\u0301'.repeat(400_000)}`, 200_000, 200_001);
      expect(stacked.length).to.be.below(700);
    });

    it('does not fail on a place outside the text or in an unknown file', () => {
      expect(snippetOf('a', 7, 9)).to.deep.equal(['1 | a', '  |  ^']);
      expect(text([said({ file: 'gone.kiln', start: 3, end: 4 }, { message: 'x' })], [])).to.include('gone.kiln:1:');
    });

    it('colours the same text when asked', () => {
      const diagnostic = said(spanOf(blog, 'Usr'), {
        message: 'm',
        label: 'l',
        help: 'h',
        notes: [{ span: spanOf(users, 'User'), text: 'n' }],
      });
      const coloured = renderText([diagnostic], new SourceMap([blog, users]), { colour: true });
      expect(coloured).to.include(`\u001b[1;31merror[${OWN_CODE}]\u001b[0m`);
      expect(coloured.replace(/\u001b\[[\d;]*m/g, '')).to.equal(text([diagnostic], [blog, users]));
    });
  });

  describe('as data', () => {
    it('gives every place with line, column and offset, and the edits', () => {
      const file: SourceFile = { path: 'a.kiln', text: '"🎉"\nto Usr' };
      const span = spanOf(file, 'Usr');
      const words: Words = {
        message: `see ${placeOf(span)}`,
        label: 'l',
        notes: [{ span, text: `n ${placeOf(span)}` }],
        edits: [{ span, text: 'User' }],
        severity: 'warning',
      };
      const place = {
        file: 'a.kiln',
        start: { line: 2, column: 4, offset: 8 },
        end: { line: 2, column: 7, offset: 11 },
      };
      expect(renderJson([said(span, words)], new SourceMap([file]))).to.deep.equal([
        {
          code: OWN_CODE,
          severity: 'warning',
          message: 'see a.kiln:2',
          label: 'l',
          ...place,
          notes: [{ message: 'n a.kiln:2', ...place }],
          edits: [{ ...place, text: 'User' }],
        },
      ]);
    });

    it('leaves out a label and a help that are not there', () => {
      const [diagnostic] = renderJson([said(spanOf(blog, 'Usr'), { message: 'm' })], new SourceMap([blog]));
      expect(diagnostic).to.include({ severity: 'error' }).and.not.have.any.keys('label', 'help');
      expect(diagnostic).to.deep.include({ notes: [], edits: [] });
    });
  });
});

function said(span: Span, words: Words): Diagnostic {
  return { code: OWN_CODE, span, facts: words } as unknown as Diagnostic;
}

function spanOf(file: SourceFile, words: string): Span {
  const start = file.text.indexOf(words);
  return { file: file.path, start, end: start + words.length };
}

function text(diagnostics: readonly Diagnostic[], sources: readonly SourceFile[]): string {
  return renderText(diagnostics, new SourceMap(sources), { colour: false });
}

/** The source line and the line of carets under it. */
function snippetOf(source: string, start: number, end: number): readonly string[] {
  const file: SourceFile = { path: 'a.kiln', text: source };
  const diagnostic = said({ file: file.path, start, end }, { message: 'm' });
  return text([diagnostic], [file]).split('\n').slice(2, 4);
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

function lastLine(output: string): string | undefined {
  return output.trimEnd().split('\n').at(-1);
}
