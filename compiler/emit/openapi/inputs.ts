/** The inputs of a client: bodies as objects, and the same inputs as parameters of a query. */
import { constantOf } from '../../definition/column-default.ts';
import type { Definition, FileRules } from '../../definition/definition.ts';
import type { Endpoint, Input, ListInput, Request, ValueInput } from '../../definition/endpoint.ts';
import type { Normaliser } from '../../definition/expression.ts';
import { fileRules, LONGEST_NAME, PAGES } from '../../definition/files.ts';
import { mostItems, splitValidation } from '../../definition/list-validation.ts';
import type { Parameter, Schema } from './document.ts';
import { exampleOf, type Resolve } from './examples.ts';
import { fieldIn } from './names.ts';
import { described, type EnumRef, listOf, orNull, writeSchema } from './selection-schemas.ts';
import { bothOf, type Limits, limitsOf } from './validation-schemas.ts';

interface Reading {
  readonly definition: Definition;
  readonly enumRef: EnumRef;
  /** Whether files are sent themselves, in place of the ids of uploads. */
  readonly isForm?: true;
}

/** The schema of a body. Other keys are ignored. */
export function bodySchema({ inputs, under }: Omit<Request, 'from'>, reading: Reading): Schema {
  const schema = objectOf(inputs, reading);
  if (under === undefined) return schema;
  return { type: 'object', properties: { [under]: schema }, ...(schema.required && { required: [under] }) };
}

/** The schema of the body of an endpoint. That of an upload keeps to what the field takes. */
export function endpointSchema({ request, response }: Endpoint, reading: Reading): Schema {
  const schema = bodySchema(request, reading);
  if (response.kind !== 'upload') return schema;
  const { accept, max } = fileRules(reading.definition, response.model, response.field);
  const { name, type, size } = schema.properties ?? {};
  const properties = {
    name: { ...name, minLength: 1, maxLength: LONGEST_NAME },
    type: { ...type, ...mediaTypes(accept) },
    size: { ...size, minimum: 1, maximum: max },
  };
  return { ...schema, properties };
}

const SUBTYPE = '[a-z0-9][a-z0-9.+-]{0,99}';

function mediaTypes(accept: FileRules['accept']): Schema {
  if (accept?.every((type) => !type.endsWith('/*'))) return { enum: accept };
  const escaped = (type: string): string => type.replace(/[.+]/g, '\\$&');
  const types = accept?.map((type) => {
    const refused = type.endsWith('/*') ? PAGES.filter((page) => page.startsWith(type.slice(0, -1))) : [];
    return refused.map((page) => `(?!${escaped(page)}$)`).join('') + escaped(type).replace('*', SUBTYPE);
  });
  return { pattern: `^(${types?.join('|') ?? `[a-z]+/${SUBTYPE}`})$` };
}

/** The schema of a form with files. The inputs of a group are parts with both names. */
export function formSchema({ inputs, under }: Omit<Request, 'from'>, reading: Reading): Schema {
  const parts = inputs.flatMap((input): readonly Input[] =>
    input.kind === 'group'
      ? input.inputs.map((inner) => ({
          ...inner,
          name: `${input.name}.${inner.name}`,
          required: input.required && inner.required,
        }))
      : [input],
  );
  return objectOf(under === undefined ? parts : parts.map((part) => ({ ...part, name: `${under}.${part.name}` })), {
    ...reading,
    isForm: true,
  });
}

function objectOf(inputs: readonly Input[], reading: Reading): Schema {
  const required = inputs.filter((input) => input.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(inputs.map((input) => [input.name, inputSchema(input, reading)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function inputSchema(input: Input, reading: Reading): Schema {
  if (input.kind === 'group') return objectOf(input.inputs, reading);
  if (input.kind === 'list') return objectsSchema(input, reading);
  if (reading.isForm && input.type.kind === 'file')
    return described({ type: 'string', format: 'binary' }, input.doc, fileRemarks(input, reading).join(' '));
  const { schema, description } = valueSchemaOf(input, reading);
  const whole = input.type.nullable ? orNull(schema) : schema;
  return described({ ...whole, ...defaultOf(input), ...secrecyOf(input, reading) }, ...description);
}

function objectsSchema({ inputs, minItems, maxItems, nullable, doc }: ListInput, reading: Reading): Schema {
  const least = minItems === 0 ? {} : { minItems };
  const list = { ...listOf(objectOf(inputs, reading)), ...least, maxItems };
  return described(nullable ? orNull(list) : list, doc);
}

interface ValueSchema {
  /** The schema of a value that is not null. */
  readonly schema: Schema;
  readonly description: readonly (string | null)[];
}

function valueSchemaOf(input: ValueInput, reading: Reading): ValueSchema {
  if (input.type.many) return listSchemaOf(input, reading);
  const { keywords, unsaid } = limitsOf(input.validate, input.type);
  const size = sizeOf(input);
  const schema = bothOf(bothOf(writeSchema(input.type, reading.enumRef), size.keywords), keywords);
  const sentences = [...remarksOf(input, reading), ...size.unsaid, ...unsaid].join(' ');
  return { schema, description: [input.doc, sentences] };
}

/** The schema of a list, with the requirements on each item in its items. */
function listSchemaOf(input: ValueInput, reading: Reading): ValueSchema {
  const { many: _, nullable: __, ...item } = input.type;
  const { ofList, ofItems } = splitValidation(input.validate);
  const [list, items] = [limitsOf(ofList, input.type), limitsOf(ofItems, item)];
  const one = described(bothOf(writeSchema(item, reading.enumRef), items.keywords), items.unsaid.join(' '));
  const most = { maxItems: mostItems(input.validate) };
  const sentences = [...remarksOf(input, reading), ...list.unsaid].join(' ');
  return { schema: { ...listOf(one), ...bothOf(most, list.keywords) }, description: [input.doc, sentences] };
}

/** A keyword counts characters, of which no text has more than bytes. */
function sizeOf({ maxBytes }: ValueInput): Limits {
  if (maxBytes === undefined) return { keywords: {}, unsaid: [] };
  return { keywords: { maxLength: maxBytes }, unsaid: [`At most ${maxBytes} bytes in UTF-8.`] };
}

/** The remarks on a value: its normalisation before it is checked, and the checks in the database. */
function remarksOf({ finds, stores, type, normalise = [] }: ValueInput, reading: Reading): readonly string[] {
  const changes = normalise.map((each) => NORMALISED[each]);
  const changed = changes.length === 0 ? [] : [`Before it is checked, ${changes.join(' and ')}.`];
  return [...changed, ...fileRemarks({ type, stores }, reading), ...askedOf({ finds, stores }, reading.definition)];
}

function fileRemarks(
  { type, stores }: Pick<ValueInput, 'type' | 'stores'>,
  { definition, isForm }: Reading,
): readonly string[] {
  if (type.kind !== 'file' || !stores) return [];
  const { accept, max } = fileRules(definition, stores.model, stores.field);
  const types = accept ? ` Its type is one of ${accept.join(', ')}.` : '';
  const what = isForm ? 'The file itself.' : 'The `file` of an upload, which is used once.';
  return [`${what}${types} It has at most ${max} bytes.`];
}

const NORMALISED: Readonly<Record<Normaliser, string>> = {
  trim: 'white space around it is removed',
  lower: 'letters become lower case',
};

function askedOf({ finds, stores }: Pick<ValueInput, 'finds' | 'stores'>, definition: Definition): readonly string[] {
  const found = finds === null ? [] : [`The \`${finds.field}\` of an existing \`${finds.end}\`.`];
  if (stores?.isKey) return ['If a record with the same value exists, it is used instead of a new one.'];
  const isUnique =
    stores !== null && finds === null && fieldIn(definition, stores.model, stores.field)?.unique === true;
  return isUnique ? [...found, 'No other record may have the same value.'] : found;
}

function defaultOf({ default: value }: ValueInput): Schema {
  const constant = value === null ? undefined : constantOf(value);
  return constant === undefined ? {} : { default: constant };
}

function secrecyOf({ stores, type }: ValueInput, { definition }: Reading): Schema {
  const isSecret = stores !== null && fieldIn(definition, stores.model, stores.field)?.secret === true;
  return isSecret ? { writeOnly: true, ...(type.kind === 'string' ? { format: 'password' } : {}) } : {};
}

// ── Queries ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The parameters of a query. None can be null: a parameter that is left out is null. */
export function queryParameters(inputs: readonly Input[], reading: Reading, resolve: Resolve): readonly Parameter[] {
  return inputs.flatMap((input) => (input.kind === 'value' ? [queryParameter(input, reading, resolve)] : []));
}

function queryParameter(input: ValueInput, reading: Reading, resolve: Resolve): Parameter {
  const { name, required } = input;
  const { schema, description } = valueSchemaOf(input, reading);
  const whole = { ...schema, ...defaultOf(input) };
  const text = described({}, ...description).description;
  const example = exampleOf(whole, resolve, name);
  return {
    name,
    in: 'query',
    required,
    ...(text === undefined ? {} : { description: text }),
    schema: whole,
    ...(example === null ? {} : { example: example.value }),
  };
}
