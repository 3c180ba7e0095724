/** The actions of endpoints and jobs. */
import type { Span } from '../source/source-file.ts';
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import { authPathFrom, expressionFrom, pathFrom, queryFrom } from './expressions.ts';
import { keyParts, misplacedFlags, value } from './models.ts';
import type { AuthPath, Expression, Name, Node, NodeOf, Path, Properties } from './nodes.ts';
import {
  ALIAS,
  child,
  contents,
  is,
  members,
  name,
  node,
  ofRule,
  optional,
  property,
  type Read,
  SPAN,
  text,
  words,
} from './parts.ts';
import type { Reader } from './reader.ts';

export interface ActionBlock extends Node {
  readonly actions: readonly Action[];
}

export type Action =
  | WriteAction
  | DeleteAction
  | QueryAction
  | ForAction
  | ExecuteAction
  | CallAction
  | RunAction
  | RespondAction
  | ValidateAction
  | RefuseAction;

const action: Read<Action> = (...at) => ACTIONS[at[1].type as keyof typeof ACTIONS](...at);
const actions = child('body', contents(action));
export const actionBlock = node({ actions });

/** Its first word. */
const head: Read<Span> = (reader, node) => reader.firstWord(node);

// ── Writes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export type SetItem = ReturnType<typeof set>;
export const set = node({
  kind: is('set'),
  name: name(),
  value,
  /** The condition behind `when`. */
  when: optional('condition', expressionFrom),
});

export type InputField = ReturnType<typeof inputField>;
const inputField = node(
  {
    name: name(),
    /** The name that clients use, if it is not the name of the field. */
    alias: ALIAS,
    misplaced: misplacedFlags('required'),
  },
  'input_field',
);

export type InputItem = ReturnType<typeof input>;
export const input = node({ kind: is('input'), fields: contents(inputField) });

export type InputAllItem = ReturnType<typeof inputAll>;
const inputAll = node({ kind: is('input-all'), except: contents((reader, node) => reader.name(node)) });

const lookup = node({
  through: child('path', pathFrom),
  /** The words `or create`. */
  orCreate: ofRule('or_create', SPAN),
});
const referenceInput = node(
  { kind: is('reference'), name: name(), lookup: property('lookup', lookup) },
  undefined,
  'open',
);
export type ReferenceItem = ReturnType<typeof referenceItem>;
const referenceItem = (...at: Parameters<typeof referenceInput>) => {
  const { lookup, ...item } = referenceInput(...at);
  return { ...item, through: lookup?.through, orCreate: lookup?.orCreate };
};

export type WriteItem = WriteAction['items'][number];

/** `or keep`, `or update by { a, b }`. */
export type OnConflict = ReturnType<typeof onConflict>;
const onConflict = node({
  does: words<'keep' | 'update'>('does'),
  key: ofRule('conflict_key', node({ parts: keyParts })),
});

const target = optional('target', (reader, node): Path | AuthPath =>
  node.type === 'auth_path' ? authPathFrom(reader, node) : pathFrom(reader, node),
);

export type WriteAction = ReturnType<typeof write>;
const write = node({
  kind: (_, { type }): 'create' | 'update' => (type === 'create_action' ? 'create' : 'update'),
  head,
  target,
  /** The `or keep` or `or update` of a create. */
  onConflict: ofRule('on_conflict', onConflict),
  alias: ALIAS,
  items: members({ set, input, input_all: inputAll, reference_input: referenceItem }),
});

export type DeleteAction = ReturnType<typeof deletion>;
const deletion = node({ kind: is('delete'), head, target });

// ── Other actions ───────────────────────────────────────────────────────────────────────────────────────────────────

export type QueryAction = ReturnType<typeof query>;
const query = node({
  kind: is('query'),
  head,
  alias: ALIAS,
  query: queryFrom,
  update: ofRule('query_update', node({ sets: contents(set) })),
});

/** `for x in list { … }`. */
export interface ForAction extends NodeOf<'for'> {
  readonly head: Span;
  readonly name: Name;
  readonly list: Expression;
  readonly actions: readonly Action[];
}
const loop: Read<ForAction> = node({
  kind: is('for'),
  head,
  name: name(),
  list: child('list', expressionFrom),
  actions,
});

export type ExecuteAction = ReturnType<typeof execute>;
const execute = node({ kind: is('execute'), head, alias: ALIAS }, 'execute_action', 'open');

/** `call as x { hook { … } on failure { … } timeout seconds(10) }`. */
export interface CallAction extends NodeOf<'call'>, Properties<'call_action'> {
  readonly head: Span;
  readonly alias?: Name | undefined;
  readonly onFailure?: ActionBlock | undefined;
}
const call: Read<CallAction> = node(
  { kind: is('call'), head, alias: ALIAS, onFailure: property('call_failure', actionBlock) },
  'call_action',
  'open',
);

/** `run SendReceipt { order: order } after days(3) once per order`; `send` for a mail. */
export type RunAction = ReturnType<typeof run>;
export const run = node({
  kind: is('run'),
  head,
  verb: words<'run' | 'send'>('verb'),
  job: name('job'),
  arguments: child('body', contents(runArgument)),
  after: optional('after', expressionFrom),
  once: optional('once', expressionFrom),
});

function runArgument(reader: Reader, node: SyntaxNode) {
  return { name: reader.childName(node), value: expressionFrom(reader, reader.child(node, 'value')) };
}

export type RespondAction = ReturnType<typeof respond>;
const respond = node({ kind: is('respond'), head }, 'respond_action', 'open');

export type ValidateAction = ReturnType<typeof validate>;
const validate = node({ kind: is('validate'), head, key: text('key'), value });

/** `refuse "sold-out" when e { … }`. */
export type RefuseAction = ReturnType<typeof refuse>;
const refuse = node(
  { kind: is('refuse'), head, code: text('code'), when: optional('condition', expressionFrom) },
  'refuse_action',
);

const ACTIONS = {
  create_action: write,
  update_action: write,
  delete_action: deletion,
  query_action: query,
  for_action: loop,
  execute_action: execute,
  call_action: call,
  run_action: run,
  respond_action: respond,
  validate_action: validate,
  refuse_action: refuse,
};
