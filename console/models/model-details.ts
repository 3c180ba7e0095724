/** A model in words: what it is, where it is served, and its members with their comments. */
import type { ModelGraph, ShownMember, ShownModel } from '../../runtime/console/model-graph.ts';
import { manyOf, oneOf } from './diagram.ts';
import { element, withCode } from './element.ts';

export function modelDetails(model: ShownModel, graph: ModelGraph): readonly HTMLElement[] {
  return [
    ...(model.doc === null ? [] : [element('p', { class: 'doc' }, ...withCode(model.doc))]),
    ...(model.entrypoints.length === 0 ? [] : [servedAt(model.entrypoints)]),
    element('ul', { class: 'members' }, ...model.members.map((member) => memberItem(member, model, graph))),
  ];
}

function servedAt(entrypoints: readonly string[]): HTMLElement {
  const links = entrypoints.map((id) =>
    element('li', {}, element('a', { href: `#/tag/${encodeURIComponent(id)}` }, id)),
  );
  return element('div', { class: 'served' }, element('span', {}, 'Entrypoints'), element('ul', {}, ...links));
}

function memberItem(member: ShownMember, model: ShownModel, graph: ModelGraph): HTMLElement {
  const { name, doc, values } = member;
  return element(
    'li',
    { class: `member is-${member.kind}` },
    element(
      'div',
      { class: 'member-line' },
      element('code', { class: 'member-name' }, name),
      typeOf(member, graph),
      ...marksOf(member, model, graph),
    ),
    doc === null ? null : element('p', {}, ...withCode(doc)),
    values ? element('p', { class: 'values' }, ...values.map((value) => element('code', {}, value))) : null,
  );
}

function typeOf({ type, many, kind }: ShownMember, { models }: ModelGraph): HTMLElement {
  const isModel = models.some(({ name }) => name === type);
  const text = `${type ?? 'any'}${many ? '[]' : ''}`;
  const link = isModel ? element('a', { href: `#/models/${encodeURIComponent(type ?? '')}` }, text) : text;
  return element('span', { class: 'member-type' }, kind === 'reference' ? '→ ' : kind === 'relation' ? '← ' : '', link);
}

const KINDS: Readonly<Record<ShownMember['kind'], string | null>> = {
  field: null,
  reference: 'reference',
  relation: 'relation',
  computed: 'computed',
  query: 'query',
  hook: 'hook',
};

function marksOf(member: ShownMember, model: ShownModel, { edges }: ModelGraph): readonly HTMLElement[] {
  const { kind, unique, nullable, name } = member;
  const edge = edges.find(({ from, to, reference, relation }) =>
    kind === 'reference'
      ? from === model.name && reference === name
      : kind === 'relation' && to === model.name && relation === name,
  );
  const cardinality =
    edge && (kind === 'reference' ? `${manyOf(edge)} → ${oneOf(edge)}` : `${oneOf(edge)} ← ${manyOf(edge)}`);
  const words = [KINDS[kind], cardinality, unique ? 'unique' : null, nullable ? 'nullable' : null];
  return words
    .filter((word) => word !== null && word !== undefined)
    .map((word) => element('span', { class: 'mark' }, word));
}
