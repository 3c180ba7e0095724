/**
 * Tables whose rows are examples: endpoints that are added to the program, and what they must answer. Expressions are
 * asked for twice, as a part of a response, which the database works out, and as the body of a `respond`, which the server does.
 */
import type { Table } from './document-parts.ts';
import type { Exchange, Request } from './http-case.ts';

export interface RowExamples {
  readonly source: string;
  readonly exchanges: readonly Exchange[];
}

/** Nothing where the table has not the columns that its examples need. */
export function rowExamples(table: Table, comment: string): RowExamples | undefined {
  const [, server, model = '', alias = '', id = ''] =
    /^evaluated( in the server)? for: (\w+) as (\w+), (\w+)$/.exec(comment) ?? [];
  if (model) return expressionExamples(table, { model, alias, id, inDatabase: server === undefined });
  const [, validated] = /^validated at: (\w+)$/.exec(comment) ?? [];
  return validated === undefined ? undefined : validatorExamples(table, validated);
}

interface Subject {
  readonly model: string;
  readonly alias: string;
  readonly id: string;
  readonly inDatabase: boolean;
}

/** What a row adds to the program, and what is asked of it. */
interface RowExample {
  readonly endpoints: readonly string[];
  readonly exchanges: readonly Exchange[];
}

function expressionExamples(table: Table, { model, alias, id, inDatabase }: Subject): RowExamples | undefined {
  const columns = columnsOf(table, ['example', 'gives']);
  if (!columns) return undefined;
  const rows = table.rows.map(({ line, cells }) => {
    const [expression = '', value = ''] = columns.map((column) => codeIn(cells[column]));
    const place = `/api/table${table.line}/${segmentOf(model)}/${id}`;
    const server = inServer(line, expression, value, place);
    return inDatabase ? [inResponse(line, expression, value, place), server] : [server];
  });
  return examplesOf(table, `${model} as ${alias}`, rows.flat());
}

function inServer(line: number, expression: string, value: string, place: string): RowExample {
  return {
    endpoints: [`GET one "server${line}" { action { respond { body [${expression}] } } }`],
    exchanges: [exchange(`${line}: ${expression}`, get(`${place}/server${line}`), 200, `[${value}]`)],
  };
}

function inResponse(line: number, expression: string, value: string, place: string): RowExample {
  const body = `{ "value": ${value} }`;
  return {
    endpoints: [`GET one "database${line}" { response { value: ${expression} } }`],
    exchanges: [exchange(`${line}: ${expression}`, get(`${place}/database${line}`), 200, body)],
  };
}

function validatorExamples(table: Table, model: string): RowExamples | undefined {
  const columns = columnsOf(table, ['validator', 'takes', 'refuses', 'code']);
  if (!columns) return undefined;
  const rows = table.rows.map(({ line, cells }) => {
    const [validator = '', takes = '', refuses = ''] = columns.map((column) => codeIn(cells[column]));
    const path = `/api/table${table.line}/${segmentOf(model)}/row${line}`;
    const errors = codesIn(cells[columns[3] ?? -1]).map((code) => ({ path: 'value', code }));
    const field = `field value { type ${typeOf(takes)}, validate { ${validator} } }`;
    return {
      endpoints: [`POST many "row${line}" { extra inputs { ${field} } }`],
      exchanges: [
        exchange(`${line}: ${validator} takes ${takes}`, post(path, takes), 204, null),
        exchange(`${line}: ${validator} refuses ${refuses}`, post(path, refuses), 422, JSON.stringify({ errors })),
      ],
    };
  });
  return examplesOf(table, model, rows);
}

function examplesOf({ line }: Table, resource: string, rows: readonly RowExample[]): RowExamples {
  const endpoints = rows.flatMap((row) => row.endpoints).join('\n    ');
  return {
    source: `api Table${line} {\n  entrypoint ${resource} {\n    ${endpoints}\n  }\n}\n`,
    exchanges: rows.flatMap(({ exchanges }) => exchanges),
  };
}

/** Where the columns are, in the order of their names; nothing where one is missing. */
function columnsOf({ header }: Table, names: readonly string[]): readonly number[] | undefined {
  const columns = names.map((name) => header.indexOf(name));
  return columns.includes(-1) ? undefined : columns;
}

/** The segment of a model of one word. */
function segmentOf(model: string): string {
  return model.toLowerCase();
}

function codeIn(cell = ''): string {
  return /^`+ ?(.*?) ?`+/.exec(cell)?.[1] ?? cell;
}

function codesIn(cell = ''): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

function typeOf(json: string): string {
  const value: unknown = JSON.parse(json);
  if (Array.isArray(value)) return `[${typeOf(JSON.stringify(value[0]))}]`;
  if (typeof value === 'number') return json.includes('.') ? 'float' : 'integer';
  return typeof value === 'boolean' ? 'boolean' : 'string';
}

function get(path: string): Request {
  return { method: 'GET', path, headers: [], body: null };
}

function post(path: string, value: string): Request {
  return { method: 'POST', path, headers: [], body: { kind: 'json', text: `{ "value": ${value} }` } };
}

function exchange(title: string, request: Request, status: number, text: string | null): Exchange {
  return {
    title,
    sql: '',
    request,
    answer: { status, headers: [], body: text === null ? null : { kind: 'json', text } },
  };
}
