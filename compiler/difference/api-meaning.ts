/** Values of the same form with another meaning: values that are computed differently, lists in another order. */
import { nameOfMember } from '../definition/contract/list-parameters.ts';
import type { Definition } from '../definition/definition.ts';
import type { Endpoint } from '../definition/endpoint.ts';
import type { Expression, Query, Selected } from '../definition/expression.ts';
import { memoizedBeside } from '../definition/memo.ts';
import type { Route } from './api-routes.ts';
import { type Both, type Finding, quoted, type Say, saysAbout } from './api-rules.ts';
import { endpointSubject } from './api-subjects.ts';
import {
  assignments,
  type FormerNames,
  formerNames,
  Meanings,
  OWN_NAMES,
  type RuleSource,
  ruleSourceOf,
} from './meaning.ts';

export function meaningChanges({ before, after }: Both<Route>): readonly Finding[] {
  const [former, latter] = [before.endpoint.response, after.endpoint.response];
  const sources = sourcesOf(before.definition, after.definition);
  const meanings = {
    before: new Meanings(sources.before, before.endpoint),
    after: new Meanings(sources.after, after.endpoint),
  };
  const say = saysAbout(endpointSubject(after));
  const rows = { before: before.endpoint.model, after: after.endpoint.model };
  // Entirely different records are reported elsewhere.
  const isSame = sources.after.names.model(rows.after) === rows.before;
  const stored = storedChanges({ before: before.endpoint, after: after.endpoint }, sources.after.names, meanings, say);
  if (!isSame || !('select' in former) || !('select' in latter)) return stored;
  const place = latter.kind === 'list' && latter.page !== null ? `${nameOfMember(latter.page, 'data')}.` : '';
  const shown = valueChanges({ before: former.select, after: latter.select }, rows, meanings, place, say);
  const values = [...stored, ...shown];
  if (former.kind !== 'list' || latter.kind !== 'list') return values;
  const isSameOrder = orderOf(former.query, meanings.before) === orderOf(latter.query, meanings.after);
  return isSameOrder ? values : [say('list-order-changed', 'gives its records in another order'), ...values];
}

/**
 * Finds changes of stored values. Changes by an input that is gone, or that names a record, are reported with the
 * inputs.
 */
function storedChanges(
  { before, after }: Both<Endpoint>,
  names: FormerNames,
  meanings: Both<Meanings>,
  say: Say,
): readonly Finding[] {
  const inputs = after.request.inputs.filter(
    (input) => input.kind !== 'value' || !(input.finds ?? input.stores?.isKey),
  );
  const plain = new Set(inputs.map(({ name }) => name));
  const isTold = (value: Expression) => value.kind === 'input' && !plain.has(value.path[0] ?? '');
  const former = assignments(before, OWN_NAMES);
  const changed = assignments(after, names).filter(({ key, value }) => {
    const was = former.filter((each) => each.key === key);
    if (value.kind === 'input' || was.length === 0 || was.some((each) => isTold(each.value))) return false;
    return was.every((each) => meanings.before.of(each.value, '') !== meanings.after.of(value, ''));
  });
  const fields = [...new Set(changed.map(({ field }) => field))];
  return fields.map((field) => say('stored-value-changed', `stores another value in ${quoted(field)} now`));
}

const sourcesOf = memoizedBeside((before: Definition, after: Definition): Both<RuleSource> => {
  return { before: ruleSourceOf(before), after: ruleSourceOf(after, formerNames(before, after)) };
});

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
    if (former === undefined) return [];
    const name = `${place}${latter.name}`;
    const isSame =
      typeOf(former, meanings.before) !== typeOf(latter, meanings.after) ||
      meaningOf(former, rows.before, meanings.before) === meaningOf(latter, rows.after, meanings.after);
    const says = `the property ${quoted(name)} of the response ${WORDS[latter.kind]} now`;
    const inner =
      former.kind === 'records' && latter.kind === 'records'
        ? valueChanges(
            { before: former.select, after: latter.select },
            { before: former.model, after: latter.model },
            meanings,
            `${name}.`,
            say,
          )
        : [];
    return [...(isSame ? [] : [say('property-meaning-changed', says)]), ...inner];
  });
}

const WORDS: Readonly<Record<Selected['kind'], string>> = {
  value: 'has another value',
  records: 'has other records or another order',
  hook: 'is computed by other code',
};

/** The type of a selected value. A change of it is reported elsewhere. */
function typeOf(selected: Selected, meanings: Meanings): string {
  if (selected.kind === 'records') return meanings.kind(selected.model);
  return selected.kind === 'hook' ? 'hook' : `${selected.value.type.kind} ${selected.value.type.many === true}`;
}

function meaningOf(selected: Selected, model: string, meanings: Meanings): string {
  if (selected.kind === 'records') return meanings.records(selected.path, model);
  return selected.kind === 'hook' ? meanings.hook(selected.hook, model) : meanings.of(selected.value, model);
}
