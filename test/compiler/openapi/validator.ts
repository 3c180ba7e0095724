/** Judges values by the schemas of a document, formats included. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument, Schema } from '../../../compiler/emit/openapi/document.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const FORMATS: Readonly<Record<string, true | RegExp | ((text: string) => boolean)>> = {
  date: (text) => DATE.test(text) && isDay(text),
  'date-time': (text) => DATE_TIME.test(text) && isDay(text.slice(0, 10)),
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  uri: (text) => URL.canParse(text),
  // A pattern beside them says more.
  email: true,
  decimal: true,
  password: true,
  int64: true,
  double: true,
};

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

export type Judge = (schema: Schema) => ValidateFunction;

const ROOT = 'https://kiln.test/openapi.json';

/** Of the document as it is, or with `isClosed` as if no object might have more properties than are described. */
export function judgeOf(document: OpenApiDocument, isClosed = false): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS });
  const components = isClosed ? (closed(document.components) as object) : document.components;
  ajv.addSchema({ $id: ROOT, components });
  const known = new Map<string, ValidateFunction>();
  return (schema) => {
    const text = JSON.stringify(isClosed ? closed(schema) : schema).replaceAll('"#/', `"${ROOT}#/`);
    const judge = known.get(text) ?? ajv.compile(JSON.parse(text) as Schema);
    known.set(text, judge);
    return judge;
  };
}

/** A part of an `allOf` only narrows what the schema beside it describes, which is closed itself. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, key === 'allOf' ? each : closed(each)]),
  );
  return 'properties' in inner && inner.type === 'object' ? { ...inner, additionalProperties: false } : inner;
}
