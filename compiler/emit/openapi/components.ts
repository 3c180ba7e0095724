/**
 * The component schemas of a document and their names. Enums and shapes have the names of the source. The response of
 * most endpoints of an entrypoint has the name of the model (`Post`); other responses and the bodies of requests are
 * named after their endpoint (`PostDetail`, `PostCreate`). Equal responses share one component.
 */
import { PAGE_HEADS, type PageForm, type Pages, pageFormOf } from '../../definition/contract/list-parameters.ts';
import type { Definition, Enum } from '../../definition/definition.ts';
import type { Endpoint, Execute, Respond } from '../../definition/endpoint.ts';
import type { Schema } from './document.ts';
import { endpointSchema } from './inputs.ts';
import { type Group, localName, Names, pascalCase } from './names.ts';
import {
  described,
  listOf,
  objectOf,
  objectSchema,
  type Selecting,
  type Shape,
  shapeOfSnapshot,
} from './selection-schemas.ts';

export interface ComponentSchemas extends Selecting {
  readonly schemas: ReadonlyMap<string, Schema>;
  readonly schemaRef: (name: string) => Schema;
  readonly resolve: (ref: string) => Schema;
  /** Present if nobody reads the examples. */
  readonly withoutExamples?: true;
  readonly inputRef: (endpoint: Endpoint) => Schema;
  /** A page of such records. */
  readonly pageRef: (shape: Shape, page: Pages) => Schema;
}

const PREFIX = '#/components/schemas/';

function schemaRef(name: string): Schema {
  return { $ref: `${PREFIX}${name}` };
}

export function componentSchemas(
  definition: Definition,
  groups: readonly Group[],
  fixed: ReadonlyMap<string, Schema>,
): ComponentSchemas {
  const names = new Names(fixed.keys());
  const enums = new Map(definition.enums.map((each) => [each.name, names.claim(each.name, `${each.name}Enum`)]));
  const enumRef = (name: string) => schemaRef(enums.get(name) ?? name);
  const namedRef = ({ shape }: Shape) => (shape === undefined ? null : schemaRef(shape));
  const inline: Selecting = { definition, enumRef, usualRef: namedRef, shapeRef: namedRef };
  const keyOf = remembered((shape) => JSON.stringify([shape.model, shape.shape ?? objectSchema(shape, inline)]));
  const shapes = namedShapes(definition, groups, names, keyOf);
  const refWhere = (isMeant: (found: NamedShape) => boolean) => (shape: Shape) => {
    const found = shapes.get(keyOf(shape));
    return found && isMeant(found) ? schemaRef(found.name) : null;
  };
  const usualRef = refWhere(({ isUsual }) => isUsual);
  const selecting: Selecting = { definition, enumRef, usualRef, shapeRef: refWhere(() => true) };
  const inputs = namedInputs(groups, names);
  const pages = namedPages(groups, names, (shape) => shapes.get(keyOf(shape))?.name ?? '');
  const schemas = new Map([
    ...fixed,
    ...definition.enums.map((each) => [enums.get(each.name) ?? each.name, enumSchema(each)] as const),
    ...[...shapes.values()].map(
      ({ name, shape, doc }) => [name, described(objectSchema(shape, selecting), doc)] as const,
    ),
    ...[...inputs].map(([endpoint, name]) => [name, endpointSchema(endpoint, selecting)] as const),
    ...[...pages.values()].map(({ name, item, page }) => [name, pageSchema(schemaRef(item), page)] as const),
  ]);
  return {
    ...selecting,
    schemas,
    schemaRef,
    resolve: (ref) => schemas.get(ref.slice(PREFIX.length)) ?? {},
    inputRef: (endpoint) => schemaRef(inputs.get(endpoint) ?? ''),
    pageRef: (shape, page) => schemaRef(pages.get(pageKey(shapes.get(keyOf(shape))?.name ?? '', page))?.name ?? ''),
  };
}

/** Memoizes the name of a selection, which is needed wherever it stands. */
function remembered(keyOf: (shape: Shape) => string): (shape: Shape) => string {
  const keys = new WeakMap<Shape['select'], string>();
  return (shape) => {
    const key = keys.get(shape.select) ?? keyOf(shape);
    keys.set(shape.select, key);
    return key;
  };
}

// ── Answers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface NamedShape {
  readonly name: string;
  readonly shape: Shape;
  /** Whether the name is that of the author or of an entrypoint, as opposed to one of its endpoints. */
  readonly isUsual: boolean;
  readonly doc: string | null;
}

/**
 * The kind of endpoint whose response names the component, if several endpoints of an entrypoint respond differently.
 */
const SPEAKERS: readonly Endpoint['kind'][] = ['create', 'update', 'list', 'get', 'custom'];

function namedShapes(
  { shapes = [], models }: Definition,
  groups: readonly Group[],
  names: Names,
  keyOf: (shape: Shape) => string,
): ReadonlyMap<string, NamedShape> {
  const named = new Map<string, NamedShape>();
  for (const { name, doc, model, select } of shapes) {
    const shape = { model, select, shape: name };
    named.set(keyOf(shape), { name: names.claim(name, `${name}Shape`), shape, isUsual: true, doc });
  }
  const docs = new Map(models.map(({ name, doc }) => [name, doc]));
  const name = (shape: Shape | null, wanted: string, isUsual: boolean): void => {
    if (shape === null || named.has(keyOf(shape))) return;
    const claimed = names.claim(wanted);
    // The documentation of a model belongs to the response with its name.
    const doc = claimed === shape.model ? (docs.get(claimed) ?? null) : null;
    named.set(keyOf(shape), { name: claimed, shape, isUsual, doc });
  };
  for (const group of groups) name(usualShape(group), group.base, true);
  for (const group of groups) {
    for (const endpoint of group.endpoints)
      name(answerShape(endpoint), `${group.base}${answerSuffix(endpoint, group)}`, false);
    for (const endpoint of group.endpoints) {
      const base = `${group.base}${answerSuffix(endpoint, group)}`;
      for (const [member, shape] of shapesInAnswer(endpoint)) name(shape, `${base}${pascalCase(member)}`, false);
    }
  }
  return named;
}

function usualShape({ endpoints, model }: Group): Shape | null {
  const answering = endpoints.filter(({ response }) => response.kind === 'record' || response.kind === 'list');
  const speakers = SPEAKERS.flatMap((kind) => answering.filter((endpoint) => endpoint.kind === kind));
  return speakers.map(answerShape).find((shape) => shape?.model === model) ?? null;
}

function answerSuffix(endpoint: Endpoint, group: Group): string {
  return endpoint.kind === 'custom' ? `${pascalCase(localName(endpoint, group))}Result` : SUFFIXES[endpoint.kind];
}

const SUFFIXES: Readonly<Record<Exclude<Endpoint['kind'], 'custom'>, string>> = {
  list: 'ListItem',
  get: 'Detail',
  create: 'Created',
  update: 'Updated',
  delete: 'Deleted',
};

// ── Inputs, pages, enums ────────────────────────────────────────────────────────────────────────────────────────────

function namedInputs(groups: readonly Group[], names: Names): ReadonlyMap<Endpoint, string> {
  const found = groups.flatMap((group) => group.endpoints.map((endpoint) => ({ group, endpoint })));
  const bodies = found.filter(({ endpoint: { request } }) => request.from === 'body' && request.inputs.length > 0);
  return new Map(
    bodies.map(({ group, endpoint }) => {
      const wanted = `${group.base}${pascalCase(localName(endpoint, group))}`;
      return [endpoint, names.claim(wanted, `${wanted}Input`)];
    }),
  );
}

interface NamedPage {
  readonly name: string;
  /** The name of what it is a page of. */
  readonly item: string;
  readonly page: Pages;
}

/** The suffixes of pages of each form, also in generated clients. */
export const PAGE_SUFFIXES: Readonly<Record<PageForm, string>> = {
  counted: 'Page',
  uncounted: 'UncountedPage',
  estimated: 'EstimatedPage',
  cursor: 'CursorPage',
};

function namedPages(
  groups: readonly Group[],
  names: Names,
  nameOf: (shape: Shape) => string,
): ReadonlyMap<string, NamedPage> {
  const pages = new Map<string, NamedPage>();
  for (const { response } of groups.flatMap(({ endpoints }) => endpoints)) {
    if (response.kind !== 'list' || response.page === null) continue;
    const item = nameOf({ model: response.query.model, select: response.select });
    const { page } = response;
    if (pages.has(pageKey(item, page))) continue;
    const name = names.claim(`${item}${PAGE_SUFFIXES[pageFormOf(page)]}`);
    pages.set(pageKey(item, page), { name, item, page });
  }
  return pages;
}

function pageKey(item: string, page: Pages): string {
  return `${item} ${pageFormOf(page)} ${JSON.stringify(page.envelope ?? '')}`;
}

export function pageSchema(items: Schema, page: Pages): Schema {
  const usual: Readonly<Record<string, Schema>> = { ...PAGE_HEADS[pageFormOf(page)], data: listOf(items) };
  const members = page.envelope?.map(({ name, value }) => [name, usual[value] ?? {}] as const);
  return objectOf(members ? Object.fromEntries(members) : usual);
}

function enumSchema({ doc, values }: Enum): Schema {
  const docs = values.flatMap((value) => (value.doc === null ? [] : [`- \`${value.name}\`: ${value.doc}`]));
  return described({ type: 'string', enum: values.map(({ name }) => name) }, doc, docs.join('\n'));
}

/** The action that answers in place of the endpoint; the last one does, unless custom code writes to the response. */
export function answeringAction({ actions }: Endpoint): Respond | Execute | null {
  const code = actions.find((action) => action.kind === 'execute' && action.responds);
  if (code?.kind === 'execute') return code;
  return actions.findLast((action) => action.kind === 'respond') ?? null;
}

/** Records in the object that an endpoint answers with, by the name that they have there. */
function shapesInAnswer(endpoint: Endpoint): readonly (readonly [string, Shape])[] {
  const action = answeringAction(endpoint);
  const body = action?.kind === 'respond' ? action.body : null;
  if (body?.kind !== 'object') return [];
  return body.members.flatMap(({ name, value }) => {
    const shape = value.kind === 'snapshot' ? shapeOfSnapshot(value, endpoint) : null;
    return shape === null ? [] : [[name, shape] as const];
  });
}

/** The records that an endpoint answers with: one, many or a page of them. Null where it answers with something else. */
function answerShape(endpoint: Endpoint): Shape | null {
  const action = answeringAction(endpoint);
  if (action?.kind === 'execute') return null;
  if (action) return action.body?.kind === 'snapshot' ? shapeOfSnapshot(action.body, endpoint) : null;
  const { response, model } = endpoint;
  if (response.kind === 'record') return { ...response, model };
  return response.kind === 'list' ? { ...response, model: response.query.model } : null;
}
