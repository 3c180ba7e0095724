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

function candidatesOf(context: Context, { code, facts }: Diagnostic, scope: Scope | undefined): readonly Candidate[] {
  const known = facts as {
    model?: string;
    source?: string;
    others?: readonly string[];
    values?: readonly string[];
    isMail?: boolean;
  };
  const model = context.models.get(known.model ?? '');
  switch (code) {
    case 'unknown-type':
      return typeCandidates(context);
    case 'unknown-model':
      return modelCandidates(context);
    case 'unknown-shape':
      return shapeCandidates(context, model);
    case 'unknown-member':
      return readableCandidates(context, model, scope);
    case 'unknown-field':
    case 'unknown-reference':
    case 'unknown-key-part':
    case 'not-a-resource':
    case 'not-a-relation':
      return memberCandidates(model, known.others);
    case 'unknown-through':
      return throughCandidates(context.models.get(known.source ?? ''), model);
    case 'unknown-source':
      return [...sourceCandidates(scope), ...modelCandidates(context)];
    case 'unknown-key':
      return plainCandidates(known.others ?? [], CompletionItemKind.Property);
    case 'unknown-name':
    case 'name-out-of-reach':
    case 'input-too-early':
      return scope ? valueCandidates(context, scope) : [];
    case 'unknown-input':
      return scope ? [...inputsIn(scope)].map(bindingCandidate) : [];
    case 'unknown-validator':
    case 'not-a-validator':
      return validatorCandidates(context);
    case 'unknown-function':
      return [...ruleCandidates(context), ...functionCandidates(scope)];
    case 'unknown-runtime':
      return plainCandidates([...context.hookFolders.byName.keys()], CompletionItemKind.Module);
    case 'unknown-setting':
      return settingCandidates(context);
    case 'unknown-job':
      return jobCandidates(context, known.isMail === true);
    case 'unknown-job-input':
      return plainCandidates(known.others ?? [], CompletionItemKind.Property);
    case 'unknown-enum-value':
      return (known.values ?? []).map((name) => valueCandidate(name, null));
    case 'bad-iterator':
      return plainCandidates(['current', 'total'], CompletionItemKind.Property, typeName(INTEGER));
    case 'unknown-signature':
      return plainCandidates(known.others ?? [], CompletionItemKind.EnumMember);
    case 'unknown-target':
      return plainCandidates(['ts', 'js'], CompletionItemKind.EnumMember);
    default:
      return [];
  }
}

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
