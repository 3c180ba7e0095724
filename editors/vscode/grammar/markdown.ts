/** Colours for blocks of Kiln in Markdown: READMEs, and what the language server shows when the mouse rests. */
import type { Rule } from './rule.ts';

export const MARKDOWN_GRAMMAR: {
  readonly scopeName: string;
  readonly injectionSelector: string;
  readonly patterns: readonly Rule[];
} = {
  scopeName: 'markdown.kiln.codeblock',
  injectionSelector: 'L:text.html.markdown',
  patterns: [
    {
      begin: '(^|\\G)(\\s*)(`{3,}|~{3,})\\s*(?i:(kiln))(?=\\s|$)[^`]*$',
      end: '(^|\\G)(\\2|\\s{0,3})(\\3)\\s*$',
      name: 'markup.fenced_code.block.markdown',
      beginCaptures: {
        3: { name: 'punctuation.definition.markdown' },
        4: { name: 'fenced_code.block.language.markdown' },
      },
      endCaptures: { 3: { name: 'punctuation.definition.markdown' } },
      patterns: [
        {
          begin: '(^|\\G)(?!\\s*(?:`{3,}|~{3,})\\s*$)',
          while: '(^|\\G)(?!\\s*(?:`{3,}|~{3,})\\s*$)',
          contentName: 'meta.embedded.block.kiln',
          patterns: [{ include: 'source.kiln' }],
        },
      ],
    },
  ],
};
