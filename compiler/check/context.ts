import type * as ast from '../ast/ast.ts';
import type { Diagnostics } from '../diagnostics/diagnostics.ts';
import { type NearName, nearName } from '../diagnostics/words/near-name.ts';
import type {
  Enum,
  Expression,
  Field,
  FunctionName,
  Input,
  Job,
  Member,
  Model,
  Rule,
  Scalar,
  Secret,
  Setting,
  Shape,
  Type,
  Validator,
} from '../program/program.ts';
import { ANY } from '../program/type.ts';
import type { FileText, Span } from '../source/source-file.ts';
import type { Binding, Scope } from './scope.ts';

/** The state that all checks of one program share. */
export interface Context {
  readonly report: Diagnostics['report'];
  readonly witness: Witness | undefined;
  readonly models: ReadonlyMap<string, Model>;
  readonly enums: ReadonlyMap<string, Enum>;
  readonly validators: ReadonlyMap<string, Validator>;
  readonly combinations: Combinations;
  readonly shapes: Shapes;
  readonly rules: Rules;
  readonly settings: Settings;
  readonly jobs: Jobs;
  readonly hookFolders: HookFolders;
  /** Types any expression. It is part of the context because the parts of an expression contain expressions. */
  readonly checkExpression: (context: Context, expression: ast.Expression, scope: Scope, expected?: Type) => Expression;
  /** The model behind `@auth`. */
  readonly authModel: Model | undefined;
  /** The uses of `@auth` or `@claims` without an `auth`. An `auth` without a model has been reported. */
  readonly asksForAuth: { readonly word: '@auth' | '@claims'; readonly span: Span }[] | undefined;
  /** Whether `auth` takes tokens of an outside provider. */
  readonly trustsProvider: boolean;
  readonly inputUse: InputUse;
  /** Finds the modules that hooks name. */
  readonly fileText: FileText;
  /** Computed members and queries are settled when they are first needed: they may depend on each other. */
  readonly unsettled: Map<Member, () => void>;
  readonly settling: Set<Member>;
}

/** Validators that name a combination of others, which is written out wherever they are used. */
export interface Combinations {
  readonly byName: ReadonlyMap<string, ast.Expression>;
  /** The diagnostics inside of them that have been reported, so that each is reported once. */
  readonly told: Set<string>;
}

/** The shapes of a program. */
export interface Shapes {
  /** The shapes by name; undefined for a shape with an unknown model, which has been reported. */
  readonly byName: ReadonlyMap<string, Shape | undefined>;
  /** The shapes that have not been needed yet. */
  readonly unsettled: Map<Shape, ast.Selection>;
  /** The shapes that are being checked, from the outside in. */
  readonly settling: Set<Shape>;
  readonly used: Set<Shape>;
}

/** The named rules of a program. */
export interface Rules {
  readonly byName: ReadonlyMap<string, Rule>;
  /** The rules that have not been needed yet. */
  readonly unsettled: Map<Rule, ast.RuleDeclaration>;
  readonly used: Set<Rule>;
}

export interface Settings {
  readonly byName: ReadonlyMap<string, Setting>;
  readonly used: Set<Setting>;
}

/** The jobs of a program. They are declared before the first `run` is checked. */
interface Jobs {
  readonly byName: Map<string, Job>;
  /** Jobs with an input that has been reported, by their names. */
  readonly incomplete: Set<string>;
  readonly used: Set<string>;
  /** The mails of `auth`, whose token the server makes when it sends them. */
  readonly withToken: Set<string>;
}

export interface HookFolders {
  readonly byName: ReadonlyMap<string, string>;
  readonly default: string;
  /** The names of the runtimes that hooks use. */
  readonly used: Set<string>;
  /** The files that hooks name. */
  readonly files: Set<string>;
}

export type Building<T> = { -readonly [K in keyof T]: T[K] };

/** The longest chain of members that are settled by recursion. Nobody writes longer ones, and no stack overflows. */
const MOST_SETTLING = 300;

/** Settles a member. False if it depends on itself, or on too many others in a row: its type is not known then. */
export function settle(context: Context, member: Member, from: Span): boolean {
  if (context.settling.has(member))
    return context.report('depends-on-itself', from, { member: memberName(member), declared: member.span }) ?? false;
  const work = context.unsettled.get(member);
  if (work && context.settling.size === MOST_SETTLING) {
    const [outer, ...chain] = [...context.settling].map(memberName);
    context.report('expands-too-far', from, { member: outer as string, extent: undefined, chain });
    return false;
  }
  if (work) {
    context.unsettled.delete(member);
    context.settling.add(member);
    work();
    context.settling.delete(member);
  }
  return true;
}

export function memberName(member: Member): string {
  return `${member.model.name}.${member.name}`;
}

// ── What names mean ─────────────────────────────────────────────────────────────────────────────────────────────────

// The meanings of the names in a program, reported to a witness while the program is checked. An editor uses them to
// find definitions and references. No check depends on them.

export type Meaning =
  | { readonly kind: 'model'; readonly model: Model }
  | { readonly kind: 'enum'; readonly enum: Enum }
  | { readonly kind: 'value'; readonly enum: Enum; readonly value: string }
  | { readonly kind: 'member'; readonly member: Member }
  | { readonly kind: 'shape'; readonly shape: Shape }
  | { readonly kind: 'rule'; readonly rule: Rule }
  | { readonly kind: 'setting'; readonly setting: Setting }
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'scalar'; readonly scalar: Scalar }
  /** The validator; undefined for a built-in one. */
  | { readonly kind: 'validator'; readonly name: string; readonly validator: Validator | undefined }
  | { readonly kind: 'function'; readonly name: FunctionName }
  | { readonly kind: 'faker'; readonly module: string; readonly method: string | undefined }
  | { readonly kind: 'runtime'; readonly name: string }
  | { readonly kind: 'auth'; readonly model: Model }
  | { readonly kind: 'request'; readonly from: 'header' | 'claim' }
  | Local;

/** A name that is seen in one declaration only: an alias, an extra input, the argument of a validator. */
interface Local {
  readonly kind: 'local';
  readonly name: string;
  readonly noun: string;
  readonly type: Type | undefined;
  readonly declared: Span;
}

export interface Witness {
  /** The name at this place has been found. */
  meant(span: Span, meaning: Meaning): void;
  /** The name at this place is not known. The names of the scope could stand here. */
  missed?(span: Span, scope: Scope, expected: Type | undefined): void;
}

export function meaningOf(name: string, binding: Binding): Meaning {
  const { span: declared } = binding;
  const field = binding.kind === 'input' ? binding.input.field : undefined;
  if (field?.name === name) return { kind: 'member', member: field };
  return { kind: 'local', name, noun: NOUNS[binding.kind] ?? binding.kind, type: typeOfBinding(binding), declared };
}

const NOUNS: Readonly<Partial<Record<Binding['kind'], string>>> = { variable: 'alias', key: 'group' };

export function typeOfBinding(binding: Binding): Type | undefined {
  if (binding.kind === 'variable') return binding.variable.type;
  if (binding.kind === 'input') return binding.input.type;
  return binding.kind === 'iterator' ? undefined : binding.type;
}

// ── Unused inputs ───────────────────────────────────────────────────────────────────────────────────────────────────

// Extra inputs that nothing reads. Clients would send them for nothing.

interface Unread {
  readonly field: ast.ExtraInput;
  /** The inputs that are declared with it. */
  readonly all: readonly ast.ExtraInput[];
}

/** Records which inputs have been read so far. Endpoints are checked one after the other. */
export class InputUse {
  readonly #unread = new Map<Input, Unread>();
  /** The inputs of the current endpoint. */
  #current: Input[] = [];

  /** The next endpoint; of a job, with the inputs that were declared before. */
  begin(inputs: readonly Input[] = []): void {
    this.#current = [...inputs];
  }

  /** One that is validated is read by its validator. */
  declare(input: Input, field: ast.ExtraInput, all: readonly ast.ExtraInput[]): void {
    if (input.validate) return;
    this.#current.push(input);
    this.#unread.set(input, { field, all });
  }

  read(input: Input): void {
    this.#unread.delete(input);
  }

  /** The module of a hook gets the request, with all that the client has sent. */
  readAll(): void {
    for (const input of this.#current) this.#unread.delete(input);
  }

  get unread(): readonly Unread[] {
    return [...this.#unread.values()];
  }
}

/** The span to remove with the input, including the comma beside it; undefined if it is the only input. */
function removalOf(field: ast.ExtraInput, all: readonly ast.ExtraInput[]): Span | undefined {
  const at = all.indexOf(field);
  const [before, after] = [all[at - 1], all[at + 1]];
  if (after) return { ...field.span, end: after.span.start };
  return before && { ...field.span, start: before.span.end };
}

export function reportUnusedInputs({ unread }: InputUse, report: Diagnostics['report']): void {
  for (const { field, all } of unread)
    report('unused-input', field.name.span, { name: field.name.text, removal: removalOf(field, all) });
}

// ── Small things that many checks need ──────────────────────────────────────────────────────────────────────────────

/** Stands in for an expression that has been reported. It fits everywhere, so that nothing else is reported. */
export function reported(span: Span): Expression {
  return { kind: 'literal', value: null, type: ANY, span };
}

export function isReported({ kind, type }: Expression): boolean {
  return kind === 'literal' && type.base.kind === 'any';
}

/** Checks that Postgres can store the text and UTF-8 can encode it. No other text is accepted anywhere. */
export function checkText({ value, span }: ast.Text, report: Diagnostics['report']): boolean {
  const found = UNSTORABLE.exec(value)?.[0];
  if (found === undefined) return true;
  const escaped = `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  report('unstorable-text', span, { escaped, isHalf: found !== '\0' });
  return false;
}

/** The character zero, and halves of surrogate pairs that stand alone. */
const UNSTORABLE = /\0|\p{Cs}/u;

/** A path as its author wrote it. */
export function pathText({ kind, steps }: ast.Path | ast.AuthPath | ast.InputPath): string {
  return [...(kind === 'path' ? [] : [`@${kind}`]), ...steps.map(({ text }) => text)].join('.');
}

/** Names with dots between them. */
export function textOf(names: readonly ast.Name[]): string {
  return names.map(({ text }) => text).join('.');
}

/** The text of an expression if it is a path. */
export function textIfPath(expression: ast.Expression | undefined): string | undefined {
  const isPath = expression?.kind === 'path' || expression?.kind === 'auth' || expression?.kind === 'input';
  return isPath ? pathText(expression) : undefined;
}

/** Compares by file, then by place. */
export function byPlace(a: { readonly span: Span }, b: { readonly span: Span }): number {
  if (a.span.file !== b.span.file) return a.span.file < b.span.file ? -1 : 1;
  return a.span.start - b.span.start;
}

/** Reports each thing whose key an earlier one has, and gives the first of each. */
export function firstOfEach<T>(
  things: Iterable<T>,
  keyOf: (thing: T) => string,
  reportTwice: (thing: T, first: T) => void,
): ReadonlyMap<string, T> {
  const firsts = new Map<string, T>();
  for (const thing of things) {
    const first = firsts.get(keyOf(thing));
    if (first === undefined) firsts.set(keyOf(thing), thing);
    else reportTwice(thing, first);
  }
  return firsts;
}

/** The names of the arguments that a rule or a validator takes. */
export function argumentNames(
  context: Context,
  args: readonly { readonly name: ast.Name }[],
  bindingOf: (name: ast.Name, index: number) => Binding,
): Scope['names'] {
  const names = new Map<string, Binding>();
  args.forEach(({ name }, index) => {
    const first = names.get(name.text)?.span;
    if (first) context.report('duplicate-argument', name.span, { name: name.text, first });
    const binding = bindingOf(name, index);
    context.witness?.meant(name.span, meaningOf(name.text, binding));
    names.set(name.text, binding);
  });
  return names;
}

// ── Members by their names ──────────────────────────────────────────────────────────────────────────────────────────

/** Finds the member of that name; reports it if there is none. */
export function memberNamed(context: Context, name: ast.Name, model: Model): Member | undefined {
  return findMember(context, name, model) ?? reportUnknownMember(context, name, model);
}

/** Finds the member of that name, for callers that report more than that there is none. */
export function findMember({ witness }: Pick<Context, 'witness'>, name: ast.Name, model: Model): Member | undefined {
  const member = model.members.get(name.text);
  if (member) witness?.meant(name.span, { kind: 'member', member });
  return member;
}

export function reportUnknownMember(context: Context, name: ast.Name, model: Model): undefined {
  context.report('unknown-member', name.span, { model: model.name, ...notAmong(name, membersOf(model)) });
}

/** The facts for a diagnostic about a name that is none of these. */
export function notAmong({ text: name }: ast.Name, candidates: readonly NearName[]) {
  return { name, near: nearName(name, candidates), others: candidates.map((candidate) => candidate.name) };
}

export function membersOf(model: Model): readonly NearName[] {
  return namesOf(model.members);
}

export function namesOf(named: ReadonlyMap<string, { readonly span: Span }>): readonly NearName[] {
  return [...named].map(([name, { span }]) => ({ name, span }));
}

/** Whether the member replaces one that has been reported. */
export function isStandIn(member: Member | undefined): boolean {
  return member?.kind === 'field' && member.type.base.kind === 'any';
}

/** `target` is the field that would store the secret. */
export function reportSecret({ report }: Context, secret: Secret, at: Span, noun: string, target?: string): undefined {
  const field = 'model' in secret ? memberName(secret) : `setting(${secret.name})`;
  return report('secret-read', at, { field, noun, declared: secret.span, target });
}

/** The name as its author writes it: the key of a reference goes by the name of the reference. */
export function writtenName({ reference, name }: Field): string {
  return reference?.name ?? name;
}
