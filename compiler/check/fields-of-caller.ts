import { pathsIn, pathsInHook, pathsInQuery } from '../program/paths-in.ts';
import type { Field, Path, Step } from '../program/program.ts';

/** The stored fields on which the value of a path from `@auth` depends; none for other paths, and none for the id. */
export function fieldsOfCaller({ root, steps }: Path): readonly Field[] {
  return root.kind === 'auth' ? [...fieldsOf(steps, new Set())] : [];
}

/** The fields that a hook sees of the record at the end of a path. */
export function fieldsGivenTo({ type }: Path): ReadonlySet<Field> {
  const fields = type.base.kind === 'record' ? type.base.model.fields : [];
  return new Set(fields.filter(({ origin, secret }) => origin !== 'id' && !secret));
}

export function fieldsOf(steps: readonly Step[], seen: Set<Step>): ReadonlySet<Field> {
  const fields = new Set<Field>();
  for (const step of steps) {
    if (seen.has(step)) continue;
    seen.add(step);
    for (const field of fieldsOfStep(step, seen)) if (field.origin !== 'id') fields.add(field);
  }
  return fields;
}

function fieldsOfStep(step: Step, seen: Set<Step>): Iterable<Field> {
  switch (step.kind) {
    case 'field':
      return [step];
    case 'reference':
      return [step.field];
    case 'relation':
      return [step.through.field];
    case 'computed':
      return fieldsOfPaths(pathsIn(step.value), seen);
    case 'query':
      return [...fieldsOf(step.query.steps, seen), ...fieldsOfPaths(pathsInQuery(step.query), seen)];
    case 'hook':
      return fieldsOfPaths(pathsInHook(step.call), seen);
  }
}

function fieldsOfPaths(paths: readonly Path[], seen: Set<Step>): readonly Field[] {
  return paths.flatMap(({ steps }) => [...fieldsOf(steps, seen)]);
}
