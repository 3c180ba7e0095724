/** Models, enums, validators, shapes, rules and settings. */
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import { expressionFrom, hookFrom, queryFrom, selectionFrom } from './expressions.ts';
import type { MisplacedFlag } from './nodes.ts';
import type { Read } from './parts.ts';
import * as read from './parts.ts';
import type { Reader } from './reader.ts';

export const value = read.child('value', expressionFrom);

const direction = (reader: Reader, node: SyntaxNode) => {
  return { order: reader.words(node) as 'asc' | 'desc', span: reader.span(node) };
};
const keyPart = read.node({ name: read.name(), direction: read.optional('direction', direction) });
export const keyParts = read.contents(keyPart);

export type FieldDeclaration = ReturnType<typeof field>;
export const field = read.declared({ kind: read.is('field') }, 'field');

export type ReferenceDeclaration = ReturnType<typeof reference>;
const reference = read.declared({ kind: read.is('reference') }, 'reference');

export type RelationDeclaration = ReturnType<typeof relation>;
const relation = read.declared({ kind: read.is('relation') }, 'relation');

export type ComputedDeclaration = ReturnType<typeof computed>;
const computed = read.declared({ kind: read.is('computed'), value });

export type QueryDeclaration = ReturnType<typeof query>;
const query = read.declared({ kind: read.is('query'), query: read.child('body', queryFrom) });

export type KeyDeclaration = ReturnType<typeof key>;
const key = read.node({
  kind: (_, { type }): 'unique' | 'index' => (type === 'unique_over' ? 'unique' : 'index'),
  parts: keyParts,
});

export type ModelMember = ModelDeclaration['members'][number];
export type ModelDeclaration = ReturnType<typeof model>;
export const model = read.declared({
  kind: read.is('model'),
  was: read.WAS,
  members: read.documented({
    field,
    reference,
    relation,
    computed,
    query,
    hook: read.declared({ kind: read.is('hook'), hook: read.child('body', hookFrom) }),
    unique_over: read.undocumented(key),
    index_over: read.undocumented(key),
    drop_member: read.undocumented(read.node({ kind: read.is('drop'), name: read.name() })),
  }),
});

export const dropModel = read.undocumented(read.node({ kind: read.is('drop-model'), name: read.name() }));

export type EnumDeclaration = ReturnType<typeof enumOf>;
export const enumOf = read.declared({
  kind: read.is('enum'),
  was: read.WAS,
  values: read.documented({ enum_value: read.declared({ was: read.WAS }) }),
  drops: read.documented({ drop_value: read.name() }),
});

/** `shape Card of Article { … }`: a selection with a name. */
export type ShapeDeclaration = ReturnType<typeof shape>;
export const shape = read.declared({
  kind: read.is('shape'),
  model: read.name('model'),
  selection: read.child('selection', selectionFrom),
});

/** `rule may_edit(note of Note) { … }`: a condition with a name. */
export type RuleDeclaration = ReturnType<typeof rule>;
export const rule = read.declared({
  kind: read.is('rule'),
  parameters: read.child('parameters', read.contents(read.node({ name: read.name(), model: read.name('model') }))),
  value,
});

/** `setting STRIPE_SECRET { secret }`: a variable of the environment. */
export type SettingDeclaration = ReturnType<typeof setting>;
export const setting = read.declared({ kind: read.is('setting') }, 'setting');

// ── Validators ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The flags that have no meaning in a block that takes only `allowed`. */
export function misplacedFlags(allowed: string): Read<readonly MisplacedFlag[]> {
  return (reader, _, { written }) =>
    [...written.values()]
      .filter((node) => node.type === 'flag' && reader.words(node) !== allowed)
      .map((node) => ({ text: reader.words(node), span: reader.flag(node) }));
}

export type ValidatorArg = ReturnType<typeof validatorArg>;
const validatorArg = read.node({ name: read.name(), misplaced: misplacedFlags('nullable') }, 'validator_arg');

const validatorWithError = read.declared(
  {
    kind: read.is('validator'),
    args: read.members({ validator_arg: validatorArg }),
    /** The combination of other validators that this one names; a validator with a rule has nothing else. */
    rule: read.optional('rule', expressionFrom),
    error: read.property('error', read.node({}, 'error', 'open')),
  },
  'validator',
);

export type ValidatorDeclaration = ReturnType<typeof validator>;
export const validator = (...at: Parameters<typeof validatorWithError>) => {
  const { error, ...declaration } = validatorWithError(...at);
  return { ...error, ...declaration };
};
