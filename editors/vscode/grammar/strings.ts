/** Comments and texts. */
import { type Rule, word } from './rule.ts';

const QUOTE = 'punctuation.definition.string';

const lineComment: Rule = { match: '//.*\\n?', name: 'comment.line.double-slash.kiln' };

// The line's end belongs to the comment: what ends after a brace must not end after the last one of a comment.
const docComment: Rule = { match: '///.*\\n?', name: 'comment.line.documentation.kiln' };

const blockComment: Rule = { begin: '/\\*', end: '\\*/', name: 'comment.block.kiln' };

const text: Rule = {
  begin: '"',
  beginCaptures: { 0: { name: `${QUOTE}.begin.kiln` } },
  end: '(")|(?=$)',
  endCaptures: { 1: { name: `${QUOTE}.end.kiln` } },
  name: 'string.quoted.double.kiln',
  patterns: [
    { match: '\\\\(?:["\\\\/bfnrt]|u[0-9A-Fa-f]{4})', name: 'constant.character.escape.kiln' },
    { match: '\\\\.', name: 'invalid.illegal.escape.kiln' },
  ],
};

function rawText(begin: string, ...patterns: readonly Rule[]): Rule {
  return {
    begin,
    beginCaptures: { 0: { name: `${QUOTE}.begin.kiln` } },
    end: '"""',
    endCaptures: { 0: { name: `${QUOTE}.end.kiln` } },
    name: 'string.quoted.triple.kiln',
    patterns,
  };
}

/** `while` holds before all that is inside, so no slip in the code can swallow the end of the text. */
const codeLines: Rule = {
  begin: '\\G\\s*$\\n?',
  while: '^(?!.*""")',
  contentName: 'meta.embedded.block.javascript',
  patterns: [{ include: 'source.js' }],
};

/** `inline """` and code on lines of their own. */
export const INLINE_CODE: Rule = {
  begin: `(${word('inline')})(?=\\s*""")`,
  beginCaptures: { 1: { name: 'keyword.other.kiln' } },
  end: '(?<=""")',
  patterns: [rawText('"""(?=\\s*$)', codeLines), rawText('"""')],
};

export const STRINGS: Readonly<Record<string, Rule>> = {
  comments: { patterns: [docComment, lineComment, blockComment] },
  strings: { patterns: [rawText('"""'), text] },
  numbers: {
    patterns: [
      { match: '[0-9]+\\.[0-9]+', name: 'constant.numeric.float.kiln' },
      { match: '[0-9]+', name: 'constant.numeric.integer.kiln' },
    ],
  },
  comma: { match: ',', name: 'punctuation.separator.kiln' },
};
