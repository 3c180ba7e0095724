/** Values of the same form with another meaning: values that are computed differently, lists in another order. */

import type { Action } from '../definition/action.ts';
import { nameOfMember, type PageMember, type Pages } from '../definition/contract/list-parameters.ts';
import type { Definition } from '../definition/definition.ts';
import type { ListResponse } from '../definition/endpoint.ts';
import type { Expression, Query, Selected } from '../definition/expression.ts';
import { memoizedBeside } from '../definition/memo.ts';
import type { Route } from './api-routes.ts';
import { type Both, type Finding, quoted, type Say, saysAbout } from './api-rules.ts';
import { endpointSubject } from './api-subjects.ts';
import {
  type Assigned,
  assignments,
  type FormerNames,
  formerNames,
  keyOf,
  Meanings,
  OWN_NAMES,
  type RuleSource,
  ruleSourceOf,
} from './meaning.ts';

export function meaningChanges(routes: Both<Route>): readonly Finding[] {
  const { before, after } = routes;
  const [former, latter] = [before.endpoint.response, after.endpoint.response];
  const sources = sourcesOf(before.definition, after.definition);
  const meanings = meaningsOf(routes);
  const say = saysAbout(endpointSubject(after));
  const rows = { before: before.endpoint.model, after: after.endpoint.model };
  // Entirely different records are reported elsewhere.
  const isSame = sources.after.names.model(rows.after) === rows.before;
  const changed: NamesChanged = (was, is) => changedNames({ before: was, after: is }, rows, meanings);
  const headers = changed(before.endpoint.head?.headers, after.endpoint.head?.headers);
  const own = [
    ...storedChanges(routes, sources.after.names, meanings, say),
    ...conflictChanges(routes, sources.after.names, meanings, say),
    ...headers.map((name) => say('property-meaning-changed', `the header ${name} has another value now`)),
  ];
  if (!isSame || !('select' in former) || !('select' in latter)) return own;
  const place = latter.kind === 'list' && latter.page !== null ? `${nameOfMember(latter.page, 'data')}.` : '';
  const shown = valueChanges({ before: former.select, after: latter.select }, rows, meanings, place, say);
  const areLists = former.kind === 'list' && latter.kind === 'list';
  const listed = areLists ? listChanges({ before: former, after: latter }, changed, meanings, say) : [];
  return [...listed, ...own, ...shown];
}

type NamesChanged = (before?: readonly NamedValue[], after?: readonly NamedValue[]) => readonly string[];

function listChanges(
  { before, after }: Both<ListResponse>,
  changed: NamesChanged,
  meanings: Both<Meanings>,
  say: Say,
): readonly Finding[] {
  const isSameOrder = orderOf(before.query, meanings.before) === orderOf(after.query, meanings.after);
  const order = 'gives its records in another order';
  const sorted = changed(before.sortable, after.sortable);
  const filtered = changed(before.filterable, after.filterable);
  return [
    ...(isSameOrder ? [] : [say('list-order-changed', order)]),
    ...sorted.map((name) => say('list-order-changed', `${order} when they are sorted by ${name}`)),
    ...filtered.map((name) => say('input-finds-changed', `finds other records by the query parameter ${name} now`)),
    ...memberChanges({ before: before.page?.envelope, after: after.page?.envelope }, say),
  ];
}

/** Members of a page with another number. Its records and the next page are of other types. */
function memberChanges({ before = [], after = [] }: Both<Pages['envelope']>, say: Say): readonly Finding[] {
  const isNumber = ({ value }: PageMember) => value !== 'data' && value !== 'next';
  const isOther = ({ name, value }: PageMember) =>
    before.some((was) => was.name === name && was.value !== value && isNumber(was));
  return after
    .filter((member) => isNumber(member) && isOther(member))
    .map(({ name }) => say('property-meaning-changed', propertyWords(name, 'value')));
}

interface NamedValue {
  readonly name: string;
  readonly value: Expression;
}

/** The names of values with another meaning. Another type is reported elsewhere. */
function changedNames(
  { before = [], after = [] }: Both<readonly NamedValue[] | undefined>,
  rows: Both<string>,
  meanings: Both<Meanings>,
): readonly string[] {
  const changed = after.filter(({ name, value }) => {
    const was = before.find((each) => each.name === name)?.value;
    if (was?.type.kind !== value.type.kind) return false;
    return meanings.before.of(was, rows.before) !== meanings.after.of(value, rows.after);
  });
  return changed.map(({ name }) => quoted(name));
}

export function meaningsOf({ before, after }: Both<Route>): Both<Meanings> {
  const sources = sourcesOf(before.definition, after.definition);
  return { before: new Meanings(sources.before, before.endpoint), after: new Meanings(sources.after, after.endpoint) };
}

/**
 * Finds changes of stored values. Changes by an input that is gone, or that names a record, are reported with the
 * inputs.
 */
function storedChanges(
  { before: { endpoint: before }, after: { endpoint: after, definition } }: Both<Route>,
  names: FormerNames,
  meanings: Both<Meanings>,
  say: Say,
): readonly Finding[] {
  const inputs = after.request.inputs.filter(
    (input) => input.kind !== 'value' || !(input.finds ?? input.stores?.isKey),
  );
  const plain = new Set(inputs.map(({ name }) => name));
  const isTold = (value: Expression) => value.kind === 'input' && !plain.has(value.path[0] ?? '');
  const [former, latter] = [assignments(before, OWN_NAMES), assignments(after, names)];
  const changed = latter.filter(({ key, value, condition }) => {
    const was = former.filter((each) => each.key === key);
    const isSame = (each: Assigned) =>
      meanings.before.of(each.condition) === meanings.after.of(condition) &&
      (value.kind === 'input' || isTold(each.value) || meanings.before.of(each.value) === meanings.after.of(value));
    return was.length > 0 && !was.some(isSame);
  });
  const kept = new Set(
    definition.models.flatMap(({ name, fields }) => fields.map((field) => keyOf(name, field.name, names))),
  );
  const gone = former.filter(
    ({ key, value }) => value.kind !== 'input' && kept.has(key) && latter.every((each) => each.key !== key),
  );
  const fieldsOf = (list: readonly Assigned[]) => [...new Set(list.map(({ field }) => quoted(field)))];
  return [
    ...fieldsOf(changed).map((field) => say('stored-value-changed', `stores another value in ${field} now`)),
    ...fieldsOf(gone).map((field) => say('stored-value-changed', `does not store a value in ${field} any more`)),
  ];
}

/** What becomes of a record that a create finds by its key, and which ones it may find. */
function conflictChanges(
  { before, after }: Both<Route>,
  names: FormerNames,
  meanings: Both<Meanings>,
  say: Say,
): readonly Finding[] {
  const conflictsOf = (actions: readonly Action[], { model, field }: FormerNames, side: Meanings) =>
    actions.flatMap((action) => {
      if (action.kind !== 'create' || !action.onConflict) return [];
      const { key, changes, only } = action.onConflict;
      const found = JSON.stringify([key.map((name) => field(action.model, name)).sort(), side.of(only, action.model)]);
      return [{ model: model(action.model), found, isKept: changes.length === 0 }];
    });
  const former = conflictsOf(before.endpoint.actions, OWN_NAMES, meanings.before);
  return conflictsOf(after.endpoint.actions, names, meanings.after).flatMap(({ model, found, isKept }) => {
    const was = former.filter((each) => each.model === model);
    if (was.length === 0) return [];
    const same = was.filter((each) => each.found === found);
    if (same.length === 0) return [say('input-finds-changed', 'finds other records by a key now')];
    if (same.some((each) => each.isKept === isKept)) return [];
    return [say('stored-value-changed', `${isKept ? 'keeps' : 'changes'} the record that it finds by a key now`)];
  });
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
    const says = propertyWords(name, latter.kind);
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

function propertyWords(name: string, kind: Selected['kind']): string {
  return `the property ${quoted(name)} of the response ${WORDS[kind]} now`;
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
