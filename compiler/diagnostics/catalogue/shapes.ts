import type { Span } from '../../source/source-file.ts';
import type { Words } from '../words/words.ts';
import { listOf, note, type Unknown, unknown } from './phrases.ts';

/** Selections with a name. */
export const shapeWords = {
  /** `comma` is where a comma makes the name a member of its own. */
  'unknown-shape': (f: Unknown & { model: string; comma: Span | undefined }): Words => {
    const message = `there is no shape \`${f.name}\``;
    if (!f.comma) return unknown(f, message, `declare it: \`shape ${f.name} of ${f.model} { … }\``);
    return {
      message: `${message}; a capitalised name directly after a member is read as a shape`,
      label: `put a comma before it to select \`${f.model}.${f.name}\``,
      edits: [{ span: f.comma, text: ',' }],
    };
  },

  'shape-name': (f: { name: string }): Words => {
    const better = f.name.replace(/^_*[a-z]?/, (start) => start.replaceAll('_', '').toUpperCase());
    const isName = /^[A-Z]/.test(better);
    return {
      message: `the shape \`${f.name}\` does not begin with a capital letter`,
      label: isName ? `call it \`${better}\`` : 'begin its name with a capital letter',
      help: 'in `author Person` the capital letter tells a shape from a second member',
    };
  },

  'shape-of-other-model': (f: { shape: string; of: string; model: string; declared: Span }): Words => ({
    message: `\`${f.shape}\` is a shape of \`${f.of}\`, but these are records of \`${f.model}\``,
    label: `use a shape of \`${f.model}\``,
    notes: note(f.declared, `\`${f.shape}\` is declared here`),
  }),

  'shape-of-groups': (f: { name: string }): Words => ({
    message: `\`${f.name}\` selects members of records, but these are groups`,
    label: 'name the values of each group: `total: sum(price)`',
  }),

  /** `chain` has the shapes in between. */
  'shape-in-itself': (f: { name: string; chain: readonly string[]; declared: Span }): Words => ({
    message:
      f.chain.length === 0
        ? `the shape \`${f.name}\` contains itself`
        : `the shape \`${f.name}\` contains itself, through ${listOf(f.chain)}`,
    label: 'leave it out here, or select members instead',
    notes: note(f.declared, `\`${f.name}\` is declared here`),
  }),

  /** The size is not known where too many shapes are inside of each other. */
  'shape-too-large': (f: { name: string; size: number | undefined; most: number }): Words => ({
    message:
      f.size === undefined
        ? `the shape \`${f.name}\` is nested in more than ${f.most} others`
        : `the shape \`${f.name}\` has ${f.size} properties, counting those of the shapes in it; at most ${f.most} are allowed`,
    label: 'select less',
  }),

  /** The shapes that the two come from; nothing for what is written out. */
  'spread-conflict': (f: {
    name: string;
    shape: string | undefined;
    other: string | undefined;
    first: Span;
  }): Words => ({
    message: `${whoSelects(f.other)} and ${whoSelects(f.shape)} both select \`${f.name}\`, but with different contents`,
    label: `leave one of them out, or rename one, as in \`other: ${f.name}\``,
    notes: note(f.first, 'the first is here'),
  }),

  'unused-shape': (f: { name: string }): Words => ({
    message: `nothing uses the shape \`${f.name}\``,
    label: `write \`response ${f.name}\`, or remove it`,
    severity: 'warning',
  }),
};

function whoSelects(shape: string | undefined): string {
  return shape === undefined ? 'this selection' : `\`...${shape}\``;
}
