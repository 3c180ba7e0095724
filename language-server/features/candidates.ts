/** The candidates in place of a hole, from what the compiler reports about it. */
import { CompletionItemKind } from 'vscode-languageserver/node';
import type { Context } from '../../compiler/check/context.ts';
import { inputsIn } from '../../compiler/check/input-paths.ts';
import { type Binding, bareRow, POSITIONS, type Scope } from '../../compiler/check/scope.ts';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.ts';
import type { Member, Model } from '../../compiler/program/program.ts';
import { INTEGER, typeName, typeOfMember } from '../../compiler/program/type.ts';
import {
  type Candidate,
  functionCandidates,
  ruleCandidates,
  SETTING_CALL,
  settingCandidates,
  typeCandidates,
  validatorCandidates,
} from './built-ins.ts';
import { isReadable, isUnambiguous } from './fitting.ts';
import { HOLE, type Missing } from './hole.ts';

export function candidatesFor({ context, diagnostics, scope, expected }: Missing): readonly Candidate[] {
  const found = diagnostics.flatMap((diagnostic) => candidatesOf(context, diagnostic, scope));
  const values = expected?.base.kind === 'enum' ? expected.base.enum.values : [];
  const quoted = scope
    ? values.map(({ name, doc }) => ({ ...valueCandidate(name, doc), name: `"${name}"`, rank: 0 }))
    : [];
  return [...quoted, ...found];
}

/** What the compiler says of a name that it misses. Each code has some of it. */
interface MissedName {
  readonly context: Context;
  readonly scope: Scope | undefined;
  readonly model: Model | undefined;
  readonly source?: string;
  readonly others?: readonly string[];
  readonly values?: readonly string[];
  readonly isMail?: boolean;
}

function candidatesOf(context: Context, { code, facts }: Diagnostic, scope: Scope | undefined): readonly Candidate[] {
  const known = facts as Omit<MissedName, 'model'> & { readonly model?: string };
  return CANDIDATES[code]?.({ ...known, context, scope, model: context.models.get(known.model ?? '') }) ?? [];
}

type Candidates = (missed: MissedName) => readonly Candidate[];

const { Property, EnumMember, Module } = CompletionItemKind;

const members: Candidates = ({ model, others }) => memberCandidates(model, others);
const values: Candidates = ({ context, scope }) => (scope ? valueCandidates(context, scope) : []);
const validators: Candidates = ({ context }) => validatorCandidates(context);
const properties: Candidates = ({ others = [] }) => plainCandidates(others, Property);

const CANDIDATES: Readonly<Partial<Record<Diagnostic['code'], Candidates>>> = {
  'unknown-type': ({ context }) => typeCandidates(context),
  'unknown-model': ({ context }) => modelCandidates(context),
  'unknown-shape': ({ context, model }) => shapeCandidates(context, model),
  'unknown-member': ({ context, model, scope }) => readableCandidates(context, model, scope),
  'unknown-field': members,
  'unknown-reference': members,
  'unknown-key-part': members,
  'not-a-resource': members,
  'not-a-relation': members,
  'unknown-through': ({ context, model, source = '' }) => throughCandidates(context.models.get(source), model),
  'unknown-source': ({ context, scope }) => [...sourceCandidates(scope), ...modelCandidates(context)],
  'unknown-key': properties,
  'unknown-name': values,
  'name-out-of-reach': values,
  'input-too-early': values,
  'unknown-input': ({ scope }) => (scope ? [...inputsIn(scope)].map(bindingCandidate) : []),
  'unknown-validator': validators,
  'not-a-validator': validators,
  'unknown-function': ({ context, scope }) => [...ruleCandidates(context), ...functionCandidates(scope)],
  'unknown-runtime': ({ context }) => plainCandidates([...context.hookFolders.byName.keys()], Module),
  'unknown-setting': ({ context }) => settingCandidates(context),
  'unknown-job': ({ context, isMail = false }) => jobCandidates(context, isMail),
  'unknown-job-input': properties,
  'unknown-enum-value': ({ values = [] }) => values.map((name) => valueCandidate(name, null)),
  'bad-iterator': () => plainCandidates(['current', 'total'], Property, typeName(INTEGER)),
  'unknown-signature': ({ others = [] }) => plainCandidates(others, EnumMember),
  'unknown-target': () => plainCandidates(['ts', 'js'], EnumMember),
};

function plainCandidates(names: readonly string[], kind: CompletionItemKind, detail?: string): readonly Candidate[] {
  return names.map((name) => ({ name, kind, detail }));
}

// ── Declared names ──────────────────────────────────────────────────────────────────────────────────────────────────

export function modelCandidates({ models }: Context): readonly Candidate[] {
  return [...models.values()].map(({ name, doc }) => ({ name, kind: CompletionItemKind.Class, detail: 'model', doc }));
}

function shapeCandidates({ shapes }: Context, model: Model | undefined): readonly Candidate[] {
  const known = [...shapes.byName.values()].filter((shape) => shape !== undefined);
  const fitting = known.filter((shape) => shape.model.name === model?.name);
  const detail = `shape of \`${model?.name}\``;
  return fitting.map(({ name, doc }) => ({ name, kind: CompletionItemKind.Struct, detail, doc, rank: 0 }));
}

function jobCandidates({ jobs }: Context, isMail: boolean): readonly Candidate[] {
  const fitting = [...jobs.byName.values()].filter(({ delivers }) => (delivers === 'mail') === isMail);
  return fitting.map(({ name, doc, inputs }) => ({
    name,
    kind: CompletionItemKind.Function,
    detail: `${isMail ? 'mail' : 'job'} of ${inputs.length > 0 ? inputs.map((input) => `\`${input.name}\``).join(', ') : 'no inputs'}`,
    doc,
  }));
}

const MEMBER_KINDS: Readonly<Record<Member['kind'], CompletionItemKind>> = {
  field: CompletionItemKind.Field,
  reference: CompletionItemKind.Reference,
  relation: CompletionItemKind.Property,
  computed: CompletionItemKind.Property,
  query: CompletionItemKind.Method,
  hook: CompletionItemKind.Event,
};

/** The candidates for all members, or for those with these names. */
export function memberCandidates(model: Model | undefined, names?: readonly string[]): readonly Candidate[] {
  const members = [...(model?.members ?? [])].filter(([name]) => !names || names.includes(name));
  return members.filter(([name]) => !isHole(name)).map(([name, member]) => memberCandidate(name, member));
}

function memberCandidate(name: string, member: Member): Candidate {
  const detail = typeName(typeOfMember(member));
  const isKey = member.kind === 'field' && member.origin === 'reference';
  return { name, kind: MEMBER_KINDS[member.kind], detail, doc: member.doc, rank: isKey ? 2 : 1, member };
}

/** The members that an expression may read; all of them if it is no expression. */
function readableCandidates(
  context: Context,
  model: Model | undefined,
  scope: Scope | undefined,
): readonly Candidate[] {
  const candidates = memberCandidates(model);
  return scope ? candidates.filter(({ member }) => !member || isReadable(context, member, scope)) : candidates;
}

function throughCandidates(source: Model | undefined, target: Model | undefined) {
  const fitting = [...(source?.members.values() ?? [])].filter(
    (member) => member.kind === 'reference' && member.to.name === target?.name,
  );
  return memberCandidates(
    source,
    fitting.map(({ name }) => name),
  );
}

function valueCandidate(name: string, doc: string | null): Candidate {
  return { name, kind: CompletionItemKind.EnumMember, doc };
}

// ── Values ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function sourceCandidates(scope: Scope | undefined): readonly Candidate[] {
  if (!scope) return [];
  const holdsRecords = (member: Member) => typeOfMember(member).base.kind === 'record';
  const members = [...(bareRow(scope)?.members ?? [])].filter(([, member]) => holdsRecords(member));
  return [
    ...members.map(([name, member]) => memberCandidate(name, member)),
    ...[...scope.names].filter(([, binding]) => binding.kind === 'variable').map(bindingCandidate),
  ];
}

function valueCandidates(context: Context, scope: Scope): readonly Candidate[] {
  const known = [
    ...readableCandidates(context, bareRow(scope), scope),
    // Those with a `#` are none that an author can write.
    ...[...scope.names, ...scope.ownInputs].filter(([name]) => !name.includes('#')).map(bindingCandidate),
  ];
  const isAuthorize = scope.position === POSITIONS.authorize;
  return [
    ...known.filter(({ name }) => isUnambiguous(context, name, scope)),
    ...functionCandidates(scope),
    ...(scope.position.auth ? ruleCandidates(context) : []),
    ...(scope.position.auth && context.settings.byName.size > 0 ? [SETTING_CALL] : []),
    ...(scope.position.faker ? [FAKER] : []),
    ...(scope.position.auth && context.authModel ? [authCandidate(context.authModel, isAuthorize ? 0 : 2)] : []),
    ...(inputsIn(scope).size > 0 ? [INPUTS] : []),
    ...(scope.position.auth ? [HEADER, ...(context.trustsProvider ? [CLAIM] : [])] : []),
    ...['true', 'false', 'null', 'not'].map((name) => ({ name, kind: CompletionItemKind.Keyword, rank: 4 })),
  ];
}

const FAKER: Candidate = { name: 'faker', kind: CompletionItemKind.Module, insert: 'faker.' };

const INPUTS: Candidate = {
  name: '@input',
  insert: '@input.',
  kind: CompletionItemKind.Variable,
  detail: 'what the client sends',
  rank: 2,
};

const HEADER: Candidate = {
  name: '@request',
  insert: '@request.header("")',
  snippet: '@request.header("$1")',
  kind: CompletionItemKind.Variable,
  detail: 'a header of the request, or null',
  rank: 3,
};

const CLAIM: Candidate = {
  name: '@claims',
  insert: '@claims.',
  kind: CompletionItemKind.Variable,
  detail: "a claim of the caller's token, or null",
  rank: 3,
};

/** The candidate `@auth`. In an `authorize` it comes first, because such rules are mostly about the caller. */
export function authCandidate({ name }: Model, rank = 2): Candidate {
  return { name: '@auth', kind: CompletionItemKind.Variable, detail: `one \`${name}\`, or null`, rank };
}

function bindingCandidate([name, binding]: readonly [string, Binding]): Candidate {
  const insert = binding.kind === 'iterator' ? { insert: `${name}.` } : {};
  return { name, kind: CompletionItemKind.Variable, detail: bindingDetail(binding), rank: 0, ...insert };
}

function bindingDetail(binding: Binding): string {
  switch (binding.kind) {
    case 'variable':
      return typeName(binding.variable.type);
    case 'input':
      return `input: ${typeName(binding.input.type)}`;
    case 'argument':
    case 'key':
      return typeName(binding.type);
    case 'iterator':
      return 'iterator: `current`, `total`';
  }
}

function isHole(name: string): boolean {
  return name === HOLE || name === `${HOLE}_id`;
}
