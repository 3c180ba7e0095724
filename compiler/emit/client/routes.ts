/** The table of routes, from which a client makes its methods when it runs. */
import type { Definition } from '../../definition/definition.ts';
import { answerOf } from './answers.ts';
import { bodyOf } from './declared-types.ts';
import { type ClientOperation, tokenUseOf } from './operations.ts';
import type { ClientNode } from './tree.ts';
import { quoted, WIDTH } from './written.ts';

export function routesText(top: ClientNode, definition: Definition): string {
  return `const ROUTES: Routes = ${placeText(top, definition, '')};\n`;
}

function placeText(place: ClientNode, definition: Definition, indent: string): string {
  const inner = `${indent}  `;
  const { methods, one, groups } = place;
  const lines = [
    ...methods.map(({ name, value }) => `${inner}${name}: ${routeText(value, definition, inner, name.length + 2)},\n`),
    ...(one === null ? [] : [`${inner}'()': ${placeText(one, definition, inner)},\n`]),
    ...groups.map(({ name, value }) => `${inner}${name}: ${placeText(value, definition, inner)},\n`),
  ];
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${indent}}`;
}

function routeText(operation: ClientOperation, definition: Definition, indent: string, before: number): string {
  const takes = takesOf(operation);
  const gives = givesOf(operation);
  const { status } = answerOf(operation);
  const token = tokenUseOf(operation, definition);
  const parts = [
    `route: ${quoted(`${operation.method.toUpperCase()} ${operation.path}`)}`,
    ...(takes === null ? [] : [`takes: '${takes}'`]),
    ...namesText('filters', filtersOf(operation)),
    ...namesText('joined', joinedOf(operation)),
    ...(gives === null ? [] : [`gives: '${gives}'`]),
    ...(status === null ? [] : [`status: ${typeof status === 'string' ? quoted(status) : status}`]),
    ...(token === undefined ? [] : [`token: '${token}'`]),
  ];
  const line = `{ ${parts.join(', ')} }`;
  if (indent.length + before + line.length < WIDTH) return line;
  return `{\n${parts.map((part) => `${indent}  ${part},\n`).join('')}${indent}}`;
}

function takesOf(operation: ClientOperation): 'query' | 'body' | null {
  if (bodyOf(operation).length > 0) return 'body';
  return operation.operation.parameters?.some((each) => each.in === 'query') ? 'query' : null;
}

/** The parameters that may be lists, or objects of operators. */
export function filtersOf({ operation }: ClientOperation): readonly string[] {
  return (operation.parameters ?? []).flatMap(({ name, style }) => (style === 'deepObject' ? [name] : []));
}

/** The lists that have commas between their items; of others, the name stands before each item. */
export function joinedOf({ operation }: ClientOperation): readonly string[] {
  return (operation.parameters ?? []).flatMap(({ name, explode }) => (explode === false ? [name] : []));
}

function namesText(property: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${property}: [${names.map(quoted).join(', ')}]`];
}

/** JSON where nothing is said. */
function givesOf(operation: ClientOperation): 'page' | 'nothing' | 'response' | null {
  if (operation.isWrittenByCode) return 'response';
  if (operation.pages !== null) return 'page';
  return answerOf(operation).schema === null ? 'nothing' : null;
}
