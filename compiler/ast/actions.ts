/** The actions of endpoints and jobs. */
import type { Span } from '../source/source-file.ts';
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import { authPathFrom, expressionFrom, pathFrom, queryFrom } from './expressions.ts';
import { keyParts, misplacedFlags, value } from './models.ts';
import type { AuthPath, Expression, Name, Node, NodeOf, Path, Properties } from './nodes.ts';
import type { Read } from './parts.ts';
import * as read from './parts.ts';
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
const actions = read.child('body', read.contents(action));
export const actionBlock = read.node({ actions });

/** Its first word. */
const head: Read<Span> = (reader, node) => reader.firstWord(node);

// ── Writes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export type SetItem = ReturnType<typeof set>;
export const set = read.node({
  kind: read.is('set'),
  name: read.name(),
  value,
  /** The condition behind `when`. */
  when: read.optional('condition', expressionFrom),
});

export type InputField = ReturnType<typeof inputField>;
const inputField = read.node(
  {
    name: read.name(),
    /** The name that clients use, if it is not the name of the field. */
    alias: read.ALIAS,
    misplaced: misplacedFlags('required'),
  },
  'input_field',
);

export type InputItem = ReturnType<typeof input>;
export const input = read.node({ kind: read.is('input'), fields: read.contents(inputField) });

export type InputAllItem = ReturnType<typeof inputAll>;
const inputAll = read.node({ kind: read.is('input-all'), except: read.contents((reader, node) => reader.name(node)) });

const lookup = read.node({
  through: read.child('path', pathFrom),
  /** The words `or create`. */
  orCreate: read.ofRule('or_create', read.SPAN),
});
const referenceInput = read.node(
  { kind: read.is('reference'), name: read.name(), lookup: read.property('lookup', lookup) },
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
const onConflict = read.node({
  does: read.words<'keep' | 'update'>('does'),
  key: read.ofRule('conflict_key', read.node({ parts: keyParts })),
});

const target = read.optional('target', (reader, node): Path | AuthPath =>
  node.type === 'auth_path' ? authPathFrom(reader, node) : pathFrom(reader, node),
);

export type WriteAction = ReturnType<typeof write>;
const write = read.node({
  kind: (_, { type }): 'create' | 'update' => (type === 'create_action' ? 'create' : 'update'),
  head,
  target,
  /** The `or keep` or `or update` of a create. */
  onConflict: read.ofRule('on_conflict', onConflict),
  alias: read.ALIAS,
  items: read.members({ set, input, input_all: inputAll, reference_input: referenceItem }),
});

export type DeleteAction = ReturnType<typeof deletion>;
const deletion = read.node({ kind: read.is('delete'), head, target });

// ── Other actions ───────────────────────────────────────────────────────────────────────────────────────────────────

export type QueryAction = ReturnType<typeof query>;
const query = read.node({
  kind: read.is('query'),
  head,
  alias: read.ALIAS,
  query: queryFrom,
  update: read.ofRule('query_update', read.node({ sets: read.contents(set) })),
});

/** `for x in list { … }`. */
export interface ForAction extends NodeOf<'for'> {
  readonly head: Span;
  readonly name: Name;
  readonly list: Expression;
  readonly actions: readonly Action[];
}
const loop: Read<ForAction> = read.node({
  kind: read.is('for'),
  head,
  name: read.name(),
  list: read.child('list', expressionFrom),
  actions,
});

export type ExecuteAction = ReturnType<typeof execute>;
const execute = read.node({ kind: read.is('execute'), head, alias: read.ALIAS }, 'execute_action', 'open');

/** `call as x { hook { … } on failure { … } timeout seconds(10) }`. */
export interface CallAction extends NodeOf<'call'>, Properties<'call_action'> {
  readonly head: Span;
  readonly alias?: Name | undefined;
  readonly onFailure?: ActionBlock | undefined;
}
const call: Read<CallAction> = read.node(
  { kind: read.is('call'), head, alias: read.ALIAS, onFailure: read.property('call_failure', actionBlock) },
  'call_action',
  'open',
);

/** `run SendReceipt { order: order } after days(3) once per order`; `send` for a mail. */
export type RunAction = ReturnType<typeof run>;
export const run = read.node({
  kind: read.is('run'),
  head,
  verb: read.words<'run' | 'send'>('verb'),
  job: read.name('job'),
  arguments: read.child('body', read.contents(runArgument)),
  after: read.optional('after', expressionFrom),
  once: read.optional('once', expressionFrom),
});

function runArgument(reader: Reader, node: SyntaxNode) {
  return { name: reader.childName(node), value: expressionFrom(reader, reader.child(node, 'value')) };
}

export type RespondAction = ReturnType<typeof respond>;
const respond = read.node({ kind: read.is('respond'), head }, 'respond_action', 'open');

export type ValidateAction = ReturnType<typeof validate>;
const validate = read.node({ kind: read.is('validate'), head, key: read.text('key'), value });

/** `refuse "sold-out" when e { … }`. */
export type RefuseAction = ReturnType<typeof refuse>;
const refuse = read.node(
  { kind: read.is('refuse'), head, code: read.text('code'), when: read.optional('condition', expressionFrom) },
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
