/**
 * The place of the subject of a line in the sources. A removed subject is shown at the nearest thing that still exists.
 */
import { endpointIds, entrypointId, idPerMethod, levelsOf } from '../../compiler/define/entrypoints.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { once } from '../../compiler/definition/memo.ts';
import { type AccessRow, accessMatrix } from '../../compiler/difference/access-rules.ts';
import type { Subject } from '../../compiler/difference/difference.ts';
import { type JobRow, jobMatrix } from '../../compiler/difference/work-rules.ts';
import type { Endpoint, Member, Model, Program } from '../../compiler/program/program.ts';
import type { SourceMap } from '../../compiler/source/line-index.ts';
import type { Span } from '../../compiler/source/source-file.ts';
import type { Place } from './placed-difference.ts';

export type PlaceOf = (subject: Subject) => Place | null;

/** The places of sides without sources, such as images. */
export const NOWHERE: PlaceOf = () => null;

/** `other` is the side that the program is compared with: it still knows what the program does not have. */
export function placesIn(program: Program, sources: SourceMap, other: Definition): PlaceOf {
  const known = once(() => knownEndpoints(program));
  return (subject) => {
    const span = spanOf(subject, { program, other, known });
    return span ? { file: sources.name(span.file), ...sources.lines(span.file).positionAt(span.start) } : null;
  };
}

interface Around {
  readonly program: Program;
  readonly other: Definition;
  readonly known: () => KnownEndpoints;
}

interface KnownEndpoints {
  /** The endpoints, by id. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** The spans of entrypoints, by id. */
  readonly entrypoints: ReadonlyMap<string, Span>;
}

function knownEndpoints({ endpoints }: Program): KnownEndpoints {
  return {
    endpoints: new Map(
      [...endpointIds(endpoints)].flatMap(([endpoint, id]) =>
        idPerMethod(id, endpoint).map((each) => [each, endpoint] as const),
      ),
    ),
    entrypoints: new Map([...levelsOf(endpoints)].map((level) => [entrypointId(level), level.span])),
  };
}

function spanOf(subject: Subject, around: Around): Span | undefined {
  const { program } = around;
  switch (subject.kind) {
    case 'endpoint':
      return endpointSpan(subject.id, subject.input, around);
    case 'model':
      return modelSpan(subject.name, subject.member, program);
    case 'enum':
      return nowCalled(subject.name, program.enums)?.span;
    case 'setting':
      return program.settings.find(({ name }) => name === subject.name)?.span;
    case 'job':
      return nowCalled(subject.name, program.jobs)?.span;
    case 'schedule':
      return program.schedules.find(({ name }) => name === subject.name)?.span;
    case 'reaction':
      return program.reactions.find(({ event, model }) => event === subject.event && model.name === subject.model)
        ?.span;
    case 'application':
      return undefined;
  }
}

// ── Endpoints ───────────────────────────────────────────────────────────────────────────────────────────────────────

function endpointSpan(id: string, input: string | undefined, around: Around): Span | undefined {
  const endpoint = around.known().endpoints.get(id);
  if (!endpoint) return accountSpan(id, input, around) ?? goneEndpointSpan(id, around);
  return (input === undefined ? undefined : inputSpan(input, endpoint)) ?? endpoint.span;
}

/** An input that is taken by rule is declared by the field that it is for. */
function inputSpan(name: string, { inputs }: Pick<Endpoint, 'inputs'>): Span | undefined {
  const input =
    inputs.find(({ path }) => path.join('.') === name) ?? inputs.find(({ path: [first] }) => first === name);
  return input?.span ?? input?.field?.reference?.span ?? input?.field?.span;
}

/** The endpoints of accounts come with `auth`. Without it, they are shown at the model that had it. */
function accountSpan(id: string, input: string | undefined, { program, other }: Around): Span | undefined {
  const isAccount = id.startsWith('auth.') && !other.endpoints.some((endpoint) => endpoint.id === id);
  if (!isAccount) return undefined;
  const inputs = id === 'auth.register' ? (program.auth?.password?.registerInputs ?? []) : [];
  const declared = input === undefined ? undefined : inputSpan(input, { inputs });
  return declared ?? program.auth?.span ?? (other.auth ? modelSpan(other.auth.model, undefined, program) : undefined);
}

function goneEndpointSpan(id: string, { program, other, known }: Around): Span | undefined {
  const gone = other.endpoints.find((endpoint) => endpoint.id === id);
  const api = program.apis.find(({ name }) => name === (gone?.api ?? null));
  return entrypointSpan(id, known()) ?? (gone && modelSpan(gone.model, undefined, program)) ?? api?.span;
}

/** The innermost entrypoint that is left of those around it. */
function entrypointSpan(id: string, { entrypoints }: KnownEndpoints): Span | undefined {
  const parts = id.split('.');
  for (let length = parts.length - 1; length > 0; length--) {
    const span = entrypoints.get(parts.slice(0, length).join('.'));
    if (span) return span;
  }
  return undefined;
}

// ── Models and enums ────────────────────────────────────────────────────────────────────────────────────────────────

function modelSpan(name: string, member: string | undefined, program: Program): Span | undefined {
  const model = nowCalled(name, program.models);
  if (!model) return program.droppedModels.find((dropped) => dropped.name === name)?.span;
  return (member === undefined ? undefined : memberOf(model, member)?.span) ?? model.span;
}

/** The key of a reference is declared by the reference. */
function memberOf({ members }: Model, name: string): Member | undefined {
  const member = members.get(name) ?? [...members.values()].find((each) => 'was' in each && each.was === name);
  return member?.kind === 'field' ? (member.reference ?? member) : member;
}

function nowCalled<T extends { readonly name: string; readonly was: string | null }>(
  name: string,
  all: readonly T[],
): T | undefined {
  return all.find((each) => each.name === name) ?? all.find((each) => each.was === name);
}

// ── Access rows ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface PlacedRow extends AccessRow {
  /** Null for the endpoints of accounts and of files, which are written nowhere. */
  readonly place: Place | null;
}

export interface PlacedJob extends JobRow {
  readonly place: Place;
}

/** Lists who may call each endpoint, and all jobs but the one that removes files, with where in the sources that is stated. */
export function placedMatrix(definition: Definition, program: Program, sources: SourceMap) {
  const placeOf = placesIn(program, sources, definition);
  const written = new Set([...endpointIds(program.endpoints)].flatMap(([endpoint, id]) => idPerMethod(id, endpoint)));
  return {
    rows: accessMatrix(definition).map((row): PlacedRow => {
      return { ...row, place: written.has(row.id) ? placeOf({ kind: 'endpoint', id: row.id }) : null };
    }),
    jobs: jobMatrix(definition).flatMap((row): readonly PlacedJob[] => {
      const place = placeOf({ kind: 'job', name: row.job });
      return place ? [{ ...row, place }] : [];
    }),
  };
}
