/**
 * Programs of any size to measure the compiler with: Kiln of N models, and TypeScript of a given number of lines. The same
 * size always gives the same text. Both are dense: nearly every line declares something or has an expression to check.
 */
import type { SourceFile } from '../../compiler/source/source-file.ts';

const nouns = ['Invoice', 'Shipment', 'Contract', 'Account', 'Project', 'Payment', 'Ticket', 'Parcel', 'Report'];
const modelsInAFile = 10;
// How far away a model's neighbours are: further than a file, so that most names lead to another one.
const toOwner = 17;
const toReviewer = 31;

// ── Kiln ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** About 70 lines a model, in files of ten. */
export function kilnProgram(models: number): SourceFile[] {
  const files = Math.ceil(models / modelsInAFile);
  return Array.from({ length: files }, (_, file) => ({ path: `part${file}.kiln`, text: kilnFile(file, models) }));
}

export function linesIn(sources: readonly SourceFile[]): number {
  return sources.reduce((lines, { text }) => lines + text.split('\n').length - 1, 0);
}

function kilnFile(file: number, models: number): string {
  const first = file * modelsInAFile;
  const indexes = Array.from({ length: Math.min(modelsInAFile, models - first) }, (_, offset) => first + offset);
  return [
    `enum Status${file} { draft, live, archived }\n`,
    `validator lowerCase${file} {`,
    '  arg value { type string }',
    '  assert { value is lower(value) }',
    '  error { code "not-lower-case" }',
    '}\n',
    ...indexes.map((index) => kilnModel(index, models)),
    `api Part${file} {`,
    indexes.map((index) => kilnEntrypoint(index)).join('\n'),
    '}\n',
  ].join('\n');
}

function modelName(index: number): string {
  return `${nouns[index % nouns.length]}${index}`;
}

function neighbour(index: number, distance: number, models: number): string {
  return modelName((((index + distance) % models) + models) % models);
}

/** Required references lead forward only, so that a first record can exist. */
function ownerRule(index: number, models: number): string {
  return index + toOwner < models ? 'on delete cascade' : 'nullable, on delete set null';
}

function kilnModel(index: number, models: number): string {
  const file = Math.floor(index / modelsInAFile);
  return `/// One of the generated models.
model ${modelName(index)} {
  reference owner { to ${neighbour(index, toOwner, models)}, ${ownerRule(index, models)} }
  reference reviewer { to ${neighbour(index, toReviewer, models)}, nullable, on delete set null }
  field slug { type string, unique, validate { lowerCase${file}() and minLength(3) and maxLength(80) } }
  field title { type string, validate { minLength(4) and maxLength(200) } }
  field body { type string, default "" }
  field position { type integer, default 0, validate { min(0) } }
  field ratio { type float, nullable }
  field active { type boolean, default true }
  field amount { type decimal, default 0 }
  field status { type Status${file}, default "draft" }
  field created_at { type timestamp, default now() }
  field due_on { type date, nullable, index }
  field token { type uuid, nullable }
  field settings { type json, nullable }
  relation owned { from ${neighbour(index, -toOwner, models)}, through owner }
  relation reviewed { from ${neighbour(index, -toReviewer, models)}, through reviewer }
  computed owned_count { count(owned) }
  computed owned_amount { coalesce(sum(owned.amount), 0) }
  computed heading { upper(title) + " #" + position }
  computed overdue { active and due_on is not null and due_on < today() }

  query recent {
    from owned as item
    filter { item.active is true and item.position >= ${index % 10} }
    order by { item.created_at desc }
    limit 10
  }

  index { status, created_at desc }
}
`;
}

function kilnEntrypoint(index: number): string {
  return `  entrypoint ${modelName(index)} as item {
    identify { through slug }
    response { slug, title, heading, status, amount, owned_count, owner { slug, title }, recent { slug, title } }

    list endpoint {
      extra inputs { field least { type integer, default 0 } }
      filter { active is true and position >= least and (status is "draft" or status is "live") }
      order by { created_at desc, title asc }
      paginable { pageSize 25, max 100 }
    }

    get endpoint {}
    create endpoint { action { create { input * except { created_at, token } } } }
    update endpoint { action { update { input { title, body, position, status } } } }
    delete endpoint {}

    POST one "archive" {
      extra inputs { field reason { type string, validate { minLength(3) } } }

      action {
        update item as archived {
          set active false
          set status "archived"
          set body item.body + " (" + trim(reason) + ")"
        }
        respond { body archived.slug, httpStatus 200 }
      }
    }

    entrypoint owned as child {
      response { slug, title, label: title + " at " + position, reviewer { slug } }

      list endpoint { filter { active is true }, order by { position asc }, paginable }
      get endpoint {}
    }
  }
`;
}

// ── TypeScript ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** As many lines as asked for: the same records as interfaces, and the same computations as typed functions. */
export function typescriptProgram(lines: number): string {
  const unitLines = typescriptUnit(0, 1).split('\n').length - 1;
  const headLines = typescriptHead.split('\n').length - 1;
  const units = Math.floor((lines - headLines) / unitLines);
  const parts = Array.from({ length: units }, (_, index) => typescriptUnit(index, units));
  const padding = '\n'.repeat(lines - headLines - units * unitLines);
  return typescriptHead + parts.join('') + padding;
}

const typescriptHead = `export type Status = 'draft' | 'live' | 'archived';
export interface Page<T> {
  readonly page: number;
  readonly pageSize: number;
  readonly totalCount: number;
  readonly data: readonly T[];
}
`;

function typescriptUnit(index: number, units: number): string {
  const name = modelName(index);
  const owner = neighbour(index, toOwner, units);
  const reviewer = neighbour(index, toReviewer, units);
  const owned = neighbour(index, -toOwner, units);
  return `/** One of the generated records. */
export interface ${name} {
  readonly id: number;
  readonly owner: ${owner};
  readonly reviewer: ${reviewer} | null;
  readonly slug: string;
  readonly title: string;
  readonly body: string;
  readonly position: number;
  readonly ratio: number | null;
  readonly active: boolean;
  readonly amount: bigint;
  readonly status: Status;
  readonly createdAt: Date;
  readonly dueOn: Date | null;
  readonly token: string | null;
  readonly settings: Readonly<Record<string, unknown>> | null;
  readonly owned: readonly ${owned}[];
}

export type ${name}Input = Omit<${name}, 'id' | 'createdAt' | 'token' | 'owned'>;

export interface ${name}Answer extends Pick<${name}, 'slug' | 'title' | 'status' | 'amount'> {
  readonly heading: string;
  readonly ownedCount: number;
  readonly owner: Pick<${owner}, 'slug' | 'title'>;
  readonly recent: readonly Pick<${owned}, 'slug' | 'title'>[];
}

export function heading${name}(record: ${name}): string {
  return record.title.toUpperCase() + ' #' + record.position;
}

export function isOverdue${name}(record: ${name}, today: Date): boolean {
  return record.active && record.dueOn !== null && record.dueOn < today;
}

export function recentOf${name}(record: ${name}): readonly ${owned}[] {
  const found = record.owned.filter((item) => item.active === true && item.position >= ${index % 10});
  return found.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).slice(0, 10);
}

export function answer${name}(record: ${name}): ${name}Answer {
  const { slug, title, status, amount, owner } = record;
  const recent = recentOf${name}(record).map((item) => ({ slug: item.slug, title: item.title }));
  return { slug, title, status, amount, owner, recent, heading: heading${name}(record), ownedCount: record.owned.length };
}

export function list${name}(records: readonly ${name}[], least: number, page: number): Page<${name}Answer> {
  const found = records.filter((r) => r.active && r.position >= least && (r.status === 'draft' || r.status === 'live'));
  const data = found.slice((page - 1) * 25, page * 25).map(answer${name});
  return { page, pageSize: 25, totalCount: found.length, data };
}

export function archive${name}(record: ${name}, reason: string): ${name} {
  return { ...record, active: false, status: 'archived', body: record.body + ' (' + reason.trim() + ')' };
}
`;
}
