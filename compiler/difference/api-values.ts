/** Values of enums. An enum is in many requests and responses, so what is said of it names no endpoint. */
import type { Definition } from '../definition/definition.ts';
import { quoted } from './api-names.ts';
import type { Route } from './api-routes.ts';
import type { Both, Finding, Rule } from './api-rules.ts';

type Side = 'request' | 'response';

const ADDED: Readonly<Record<Side, Rule>> = { request: 'input-value-added', response: 'property-value-added' };
const REMOVED: Readonly<Record<Side, Rule>> = { request: 'input-value-removed', response: 'property-value-removed' };

/** The enum is the same one, or another one of whose values the same is true. `at` is the input or the property. */
export function valueChanges(names: Both<string>, routes: Both<Route>, side: Side, at: string): readonly Finding[] {
  const former = valuesOf(names.before, routes.before.definition);
  const latter = valuesOf(names.after, routes.after.definition);
  const [come, gone] = [latter.filter(isNotIn(former)), former.filter(isNotIn(latter))];
  const isSame = names.before === names.after || isRenamed(names, routes.after.definition);
  const what = isSame ? `the enum ${quoted(names.after)}` : at;
  const subject = isSame
    ? ({ kind: 'enum', name: names.after } as const)
    : ({ kind: 'endpoint', id: routes.after.endpoint.id } as const);
  const say = (rule: Rule, says: string): Finding => ({ rule, says: `${what} ${says}`, subject });
  const renamed = `the enum ${quoted(names.before)} is called ${quoted(names.after)} in generated clients now`;
  return [
    ...(isSame && names.before !== names.after ? [{ rule: 'schema-renamed', says: renamed, subject } as const] : []),
    ...(isSame
      ? []
      : [say('schema-renamed', `is of the enum ${quoted(names.after)} now, not ${quoted(names.before)}`)]),
    ...come.map((value) => say(ADDED[side], `has the new value ${quoted(value)} in ${side}s`)),
    ...gone.map((value) => say(REMOVED[side], `does not have the value ${quoted(value)} in ${side}s any more`)),
  ];
}

function valuesOf(name: string, { enums }: Definition): readonly string[] {
  return enums.find((each) => each.name === name)?.values.map((value) => value.name) ?? [];
}

function isNotIn(values: readonly string[]): (value: string) => boolean {
  const known = new Set(values);
  return (value) => !known.has(value);
}

function isRenamed({ before, after }: Both<string>, { enums }: Definition): boolean {
  return enums.some(({ name, was }) => name === after && was === before);
}
