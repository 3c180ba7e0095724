/** The hints beside each endpoint: its route, its callers, and the inputs that it takes. */
import { type CodeLens, type InlayHint, InlayHintKind, type Range } from 'vscode-languageserver/node';
import { endpointsFrom } from '../../compiler/define/endpoints.ts';
import { databaseNames, modelFrom } from '../../compiler/define/models.ts';
import { rowLowering } from '../../compiler/define/queries.ts';
import { pathTemplate } from '../../compiler/definition/contract/routes.ts';
import { groupedBy } from '../../compiler/definition/lookup.ts';
import { memoized } from '../../compiler/definition/memo.ts';
import type { ModelsByName } from '../../compiler/definition/rules-written-out.ts';
import { accessRuleOf } from '../../compiler/difference/access-rules.ts';
import { OWN_NAMES } from '../../compiler/difference/meaning.ts';
import { pathOf } from '../../compiler/program/endpoint-path.ts';
import type { Endpoint, Input, Program } from '../../compiler/program/program.ts';
import { typeName } from '../../compiler/program/type.ts';
import type { KilnFile } from '../project/kiln-file.ts';
import type { Project } from '../project/project.ts';
import { rangeOf } from './places.ts';

interface PlacedEndpoint {
  readonly endpoint: Endpoint;
  /** The range of the words at its beginning: `create endpoint as post`. */
  readonly head: Range;
}

function endpointsIn(project: Project, file: KilnFile, range?: Range): readonly PlacedEndpoint[] {
  return file.sectionsIn(range).flatMap(({ section, index }) => {
    const known = project.program ? endpointsBySection(project.program).get(section.id) : undefined;
    return (known ?? []).flatMap((endpoint) => {
      const head = rangeOf(project, { file, index, section }, endpoint.span, 'checked');
      return head ? [{ endpoint, head }] : [];
    });
  });
}

const endpointsBySection = memoized(({ endpoints }: Program) => groupedBy(endpoints, ({ span }) => span.file));

// ── Above each endpoint ──────────────────────────────────────────────────────────────────────────────────────────────

// The line above each endpoint: its route and its callers.

export function codeLensesOf(project: Project, file: KilnFile): readonly CodeLens[] {
  return endpointsIn(project, file).map(({ endpoint, head: range }) => {
    const route = `${endpoint.method} ${pathTemplate(pathOf(endpoint))}`;
    const access = project.program && accessText(project.program, endpoint);
    return { range, command: { title: [route, ...(access ? [shortened(access)] : [])].join(' · '), command: '' } };
  });
}

const LONGEST = 120;

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

// ── Endpoint access ──────────────────────────────────────────────────────────────────────────────────────────────────

// The callers of one endpoint, in the words of `kiln access`. Only the parts that the rule needs become a definition.

/** `anyone`, `signed in`, or the condition; undefined if it is not known because of an error. */
function accessText(program: Program, endpoint: Endpoint): string | undefined {
  try {
    const [defined] = endpointsFrom([endpoint]);
    if (!defined) return undefined;
    const source = { models: modelsByName(program), auth: program.auth?.model.name ?? '', names: OWN_NAMES };
    const { who, says, shows } = accessRuleOf(defined, source).access;
    const callers = who === 'condition' ? says : who;
    return shows === undefined ? callers : `${callers}; records: ${shows}`;
  } catch {
    // A definition is made of programs without errors, and this one may have some.
    return undefined;
  }
}

const modelsByName = memoized((program: Program): ModelsByName => {
  const names = databaseNames(program);
  const written = new Map(program.models.map((model) => [model.name, model]));
  const defined = new Map<string, ReturnType<typeof modelFrom>>();
  return {
    get: (name) => {
      const model = written.get(name);
      if (model && !defined.has(name)) defined.set(name, modelFrom(model, names, rowLowering()));
      return defined.get(name);
    },
  };
});

// ── Behind the head of an endpoint ───────────────────────────────────────────────────────────────────────────────────

// The hints behind the head of an endpoint: the inputs that it takes although nobody lists them.

export function inlayHintsIn(project: Project, file: KilnFile, range: Range): readonly InlayHint[] {
  return endpointsIn(project, file, range).flatMap(({ endpoint, head }) => {
    const implicit = endpoint.inputs.filter(({ named }) => !named);
    if (implicit.length === 0) return [];
    return [
      {
        position: head.end,
        label: `takes ${shortList(implicit.map(nameOf))}`,
        kind: InlayHintKind.Parameter,
        paddingLeft: true,
        tooltip: { kind: 'markdown', value: tooltipOf(implicit) },
      },
    ];
  });
}

const MOST_NAMES = 8;

function shortList(names: readonly string[]): string {
  const left = names.length - MOST_NAMES;
  return left > 1 ? `${names.slice(0, MOST_NAMES).join(', ')} and ${left} more` : names.join(', ');
}

/** The name, with `?` if a client may leave it out. */
function nameOf({ path, required }: Input): string {
  return `${path.join('.')}${required ? '' : '?'}`;
}

function tooltipOf(inputs: readonly Input[]): string {
  const lines = inputs.map((input) => `- \`${nameOf(input)}\`: ${typeName(input.type)}`);
  return ['Inputs that this endpoint takes without listing them:', '', ...lines].join('\n');
}
