/** The parameters of a path: what they are compared with, and what they are called. */
import type { Definition, Identify } from '../definition/definition.ts';
import { fieldIn } from '../emit/openapi/lookup.ts';
import { quoted } from './api-names.ts';
import { urlOf } from './api-pairs.ts';
import { normaliseFindings, typeFindings } from './api-request.ts';
import type { Route } from './api-routes.ts';
import type { Both, Finding, Rule } from './api-rules.ts';
import { endpointSubject } from './api-subjects.ts';
import { valueChanges } from './api-values.ts';

/** By their places in the path. An endpoint that moved may have others altogether. */
export function pathChanges(routes: Both<Route>): readonly Finding[] {
  const [before, after] = [identifiersOf(routes.before), identifiersOf(routes.after)];
  if (before.length !== after.length) return [];
  return after.flatMap((identify, index) => {
    const former = before[index];
    return former === undefined ? [] : parameterChanges({ before: former, after: identify }, routes);
  });
}

function identifiersOf({ endpoint }: Route): readonly Identify[] {
  return endpoint.records.flatMap(({ identify }) => (identify ? [identify] : []));
}

function parameterChanges({ before, after }: Both<Identify>, routes: Both<Route>): readonly Finding[] {
  const subject = endpointSubject(routes.after);
  const say = (rule: Rule, says: string): Finding => ({
    rule,
    says: `the path parameter ${quoted(after.parameter)} ${says}`,
    subject,
  });
  const { definition } = routes.after;
  if (fieldPath(before) !== fieldPath(after) && fieldPath(before) !== formerPath(after, definition)) {
    const words = `is the ${quoted(fieldPath(after))} of the record now, not the ${quoted(fieldPath(before))}`;
    return [say('path-field-changed', words)];
  }
  return [
    ...typeFindings({ before: before.type, after: after.type }, say),
    ...(before.type.kind === 'enum' && after.type.kind === 'enum'
      ? valueChanges(
          { before: before.type.enum ?? '', after: after.type.enum ?? '' },
          routes,
          'request',
          after.parameter,
        )
      : []),
    ...normaliseFindings({ before: before.normalise ?? [], after: after.normalise ?? [] }, say),
    ...(before.parameter === after.parameter || urlOf(routes.before) !== urlOf(routes.after)
      ? []
      : [say('path-parameter-renamed', `was called ${quoted(before.parameter)}`)]),
  ];
}

function fieldPath({ path, field }: Identify): string {
  return [...path.map(({ name }) => name), field].join('.');
}

/** As it was called before the field was renamed. */
function formerPath(identify: Identify, definition: Definition): string {
  const { was } = fieldIn(definition, identify.model, identify.field) ?? { was: null };
  return fieldPath({ ...identify, field: was ?? identify.field });
}
