/** Paths of custom endpoints: one or several segments, some of which are parameters, whose values are extra inputs. */
import type * as ast from '../ast/ast.ts';
import { parameterNames, type Segment } from '../definition/contract/routes.ts';
import { pathsTo } from '../program/endpoint-path.ts';
import type { Endpoint } from '../program/program.ts';
import { type Context, checkText } from './context.ts';
import { encodedSegment } from './entrypoints.ts';
import type { ApiEndpoint } from './write-actions.ts';

/** The segments of a path, without outer slashes. */
export function segmentsOf(context: Context, text: ast.Text): readonly Segment[] {
  checkText(text, context.report);
  const parts = text.value.replace(/^\/+|\/+$/g, '').split('/');
  return parts.map((part) => {
    if (!part.startsWith(':')) return { kind: 'literal', text: encodedSegment(context, part, text) };
    const name = part.slice(1);
    if (!/^[A-Za-z_]\w*$/.test(name)) context.report('path-parameter', text.span, { name, mistake: 'no name' });
    return { kind: 'parameter', name };
  });
}

/** The extra inputs as they are written, after those that the path has and they do not declare. */
export function extraFields({ path, extraInputs }: ast.EndpointDeclaration, route: Route): readonly ast.ExtraInput[] {
  const declared = extraInputs?.fields ?? [];
  const span = path?.span;
  if (!span) return declared;
  const isDeclared = (name: string) => declared.some((field) => field.name.text === name);
  const type = { text: 'string', span, list: undefined };
  const others = [...parametersOf(route)].filter((name) => !isDeclared(name));
  return [
    ...others.map((text) => ({ kind: 'field' as const, name: { text, span }, type, doc: null, span })),
    ...declared,
  ];
}

type Route = Pick<Endpoint, 'path' | 'cardinality'>;

export function parametersOf({ path = [] }: Route): ReadonlySet<string> {
  return new Set(parameterNames(path));
}

/** A path names each parameter once, and always has its value: one text without structure. */
export function reportParameters({ context, written, entrypoint }: ApiEndpoint, route: Route): void {
  const { path: text, extraInputs } = written;
  const parameters = parametersOf(route);
  if (parameters.size === 0) return;
  const taken = new Set(parameterNames(pathsTo(entrypoint)[route.cardinality]));
  for (const name of parameterNames(route.path ?? [])) {
    if (taken.has(name) && text) context.report('path-parameter', text.span, { name, mistake: 'twice' });
    taken.add(name);
  }
  for (const input of extraInputs?.fields ?? []) {
    const { name } = input;
    const mistake = parameters.has(name.text) ? mistakeOf(input) : undefined;
    if (mistake) context.report('path-parameter', name.span, { name: name.text, mistake });
  }
}

function mistakeOf(input: ast.ExtraInput): 'optional' | 'structured' | undefined {
  if (input.kind !== 'field' || input.type?.list !== undefined || input.type?.text === 'json') return 'structured';
  return input.nullable || input.default ? 'optional' : undefined;
}
