/** Models, enums, validators, shapes, rules and settings. */
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import { expressionFrom, hookFrom, queryFrom, selectionFrom } from './expressions.ts';
import type { MisplacedFlag } from './nodes.ts';
import {
  child,
  contents,
  declared,
  documented,
  is,
  members,
  name,
  node,
  optional,
  property,
  type Read,
  undocumented,
  WAS,
} from './parts.ts';
import type { Reader } from './reader.ts';

export const value = child('value', expressionFrom);

const direction = (reader: Reader, node: SyntaxNode) => {
  return { order: reader.words(node) as 'asc' | 'desc', span: reader.span(node) };
};
const keyPart = node({ name: name(), direction: optional('direction', direction) });
export const keyParts = contents(keyPart);

export type FieldDeclaration = ReturnType<typeof field>;
export const field = declared({ kind: is('field') }, 'field');

export type ReferenceDeclaration = ReturnType<typeof reference>;
const reference = declared({ kind: is('reference') }, 'reference');

export type RelationDeclaration = ReturnType<typeof relation>;
const relation = declared({ kind: is('relation') }, 'relation');

export type ComputedDeclaration = ReturnType<typeof computed>;
const computed = declared({ kind: is('computed'), value });

export type QueryDeclaration = ReturnType<typeof query>;
const query = declared({ kind: is('query'), query: child('body', queryFrom) });

export type KeyDeclaration = ReturnType<typeof key>;
const key = node({
  kind: (_, { type }): 'unique' | 'index' => (type === 'unique_over' ? 'unique' : 'index'),
  parts: keyParts,
});

export type ModelMember = ModelDeclaration['members'][number];
export type ModelDeclaration = ReturnType<typeof model>;
export const model = declared({
  kind: is('model'),
  was: WAS,
  members: documented({
    field,
    reference,
    relation,
    computed,
    query,
    hook: declared({ kind: is('hook'), hook: child('body', hookFrom) }),
    unique_over: undocumented(key),
    index_over: undocumented(key),
    drop_member: undocumented(node({ kind: is('drop'), name: name() })),
  }),
});

export const dropModel = undocumented(node({ kind: is('drop-model'), name: name() }));

export type EnumDeclaration = ReturnType<typeof enumOf>;
export const enumOf = declared({
  kind: is('enum'),
  was: WAS,
  values: documented({ enum_value: declared({ was: WAS }) }),
  drops: documented({ drop_value: name() }),
});

/** `shape Card of Article { … }`: a selection with a name. */
export type ShapeDeclaration = ReturnType<typeof shape>;
export const shape = declared({
  kind: is('shape'),
  model: name('model'),
  selection: child('selection', selectionFrom),
});

/** `rule may_edit(note of Note) { … }`: a condition with a name. */
export type RuleDeclaration = ReturnType<typeof rule>;
export const rule = declared({
  kind: is('rule'),
  parameters: child('parameters', contents(node({ name: name(), model: name('model') }))),
  value,
});

/** `setting STRIPE_SECRET { secret }`: a variable of the environment. */
export type SettingDeclaration = ReturnType<typeof setting>;
export const setting = declared({ kind: is('setting') }, 'setting');

// ── Validators ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The flags that have no meaning in a block that takes only `allowed`. */
export function misplacedFlags(allowed: string): Read<readonly MisplacedFlag[]> {
  return (reader, _, { written }) =>
    [...written.values()]
      .filter((node) => node.type === 'flag' && reader.words(node) !== allowed)
      .map((node) => ({ text: reader.words(node), span: reader.flag(node) }));
}

export type ValidatorArg = ReturnType<typeof validatorArg>;
const validatorArg = node({ name: name(), misplaced: misplacedFlags('nullable') }, 'validator_arg');

const validatorWithError = declared(
  {
    kind: is('validator'),
    args: members({ validator_arg: validatorArg }),
    /** The combination of other validators that this one names; a validator with a rule has nothing else. */
    rule: optional('rule', expressionFrom),
    error: property('error', node({}, 'error', 'open')),
  },
  'validator',
);

export type ValidatorDeclaration = ReturnType<typeof validator>;
export const validator = (...at: Parameters<typeof validatorWithError>) => {
  const { error, ...declaration } = validatorWithError(...at);
  return { ...error, ...declaration };
};
