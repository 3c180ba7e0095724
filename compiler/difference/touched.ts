/** Finds the endpoints that a change may touch, without computing what they do. Most endpoints are the same data. */
import type { Definition } from '../definition/definition.ts';
import type { Endpoint } from '../definition/endpoint.ts';
import { memoizedBeside } from '../definition/memo.ts';

/** Tells whether an endpoint is untouched. It may call an unchanged endpoint changed, but never the other way round. */
type IsUntouched = (before: Endpoint, after: Endpoint) => boolean;

/** Memoized, because several parts of a difference need it. */
export const untouchedBetween = memoizedBeside((before: Definition, after: Definition): IsUntouched => {
  if (textOfOthers(before) !== textOfOthers(after)) return () => false;
  const [former, latter] = [textsOfModels(before), textsOfModels(after)];
  const touched = new Set([...latter.keys()].filter((name) => former.get(name) !== latter.get(name)));
  const readers = [...before.models, ...after.models].map(({ name, computed, queries, hooks }) => {
    return { name, text: JSON.stringify([computed, queries, hooks]) };
  });
  // The set grows during the loop.
  for (const name of touched) for (const reader of readers) if (names(reader.text, name)) touched.add(reader.name);
  return (one, other) => {
    const text = JSON.stringify(other);
    return JSON.stringify(one) === text && ![...touched].some((name) => names(text, name));
  };
});

/** The text of the parts that an endpoint may depend on without naming them. References decide what can be deleted. */
function textOfOthers({ enums, validators, auth, models }: Definition): string {
  return JSON.stringify([enums, validators, auth, models.map(({ name, references }) => [name, references])]);
}

function textsOfModels({ models }: Definition): ReadonlyMap<string, string> {
  return new Map(models.map((model) => [model.name, JSON.stringify(model)]));
}

function names(text: string, model: string): boolean {
  return text.includes(`"${model}"`);
}
