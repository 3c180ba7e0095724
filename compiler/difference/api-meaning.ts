/** What callers get in the same form, with another meaning: values that are computed otherwise, lists in another order. */
import type { Definition, Query, Selected } from '../definition/definition.ts';
import { keptBeside } from '../definition/kept.ts';
import { quoted } from './api-names.ts';
import type { Route } from './api-routes.ts';
import type { Both, Finding, Say } from './api-rules.ts';
import { endpointSubject } from './api-subjects.ts';
import { type FormerNames, formerNames, OWN_NAMES } from './former-names.ts';
import { Meanings, type RuleSource } from './meaning.ts';

export function meaningChanges({ before, after }: Both<Route>): readonly Finding[] {
  const [former, latter] = [before.endpoint.response, after.endpoint.response];
  const sources = sourcesOf(before.definition, after.definition);
  const meanings = {
    before: new Meanings(sources.before, before.endpoint),
    after: new Meanings(sources.after, after.endpoint),
  };
  const say: Say = (rule, says) => ({ rule, says, subject: endpointSubject(after) });
  const rows = { before: before.endpoint.model, after: after.endpoint.model };
  // Of records that are others altogether, more is told elsewhere.
  const isSame = sources.after.names.model(rows.after) === rows.before;
  if (!isSame || !('select' in former) || !('select' in latter)) return [];
  const values = valueChanges({ before: former.select, after: latter.select }, rows, meanings, '', say);
  if (former.kind !== 'list' || latter.kind !== 'list') return values;
  const isSameOrder = orderOf(former.query, meanings.before) === orderOf(latter.query, meanings.after);
  return isSameOrder ? values : [say('list-order-changed', 'gives its records in another order'), ...values];
}

const sourcesOf = keptBeside((before: Definition, after: Definition): Both<RuleSource> => {
  return { before: sourceOf(before, OWN_NAMES), after: sourceOf(after, formerNames(before, after)) };
});

function sourceOf({ models, auth }: Definition, names: FormerNames): RuleSource {
  return { models: new Map(models.map((model) => [model.name, model])), auth: auth?.model ?? '', names };
}

function orderOf({ orderBy, model }: Query, meanings: Meanings): string {
  return JSON.stringify(orderBy.map(({ value, descending }) => [meanings.of(value, model), descending]));
}

/** `rows` are the models of the record that is selected from. */
function valueChanges(
  { before, after }: Both<readonly Selected[]>,
  rows: Both<string>,
  meanings: Both<Meanings>,
  place: string,
  say: Say,
): readonly Finding[] {
  return after.flatMap((latter) => {
    const former = before.find(({ name }) => name === latter.name);
    const name = `${place}${latter.name}`;
    if (former?.kind === 'records' && latter.kind === 'records') {
      const inner = { before: former.model, after: latter.model };
      return valueChanges({ before: former.select, after: latter.select }, inner, meanings, `${name}.`, say);
    }
    if (former?.kind !== 'value' || latter.kind !== 'value' || isOtherType(former, latter)) return [];
    if (meanings.before.of(former.value, rows.before) === meanings.after.of(latter.value, rows.after)) return [];
    return [say('property-meaning-changed', `the property ${quoted(name)} of the response has another value now`)];
  });
}

type SelectedValue = Extract<Selected, { kind: 'value' }>;

/** Then that is told. */
function isOtherType({ value: { type: from } }: SelectedValue, { value: { type: to } }: SelectedValue): boolean {
  return from.kind !== to.kind || from.many !== to.many;
}
