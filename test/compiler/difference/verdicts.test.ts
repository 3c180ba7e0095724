/** What is said of a change, where that decides whether somebody looks at it: a row each. `api/corpus.ts` has those of the API. */
import { expect } from 'chai';
import { accessChanges } from '../../../compiler/difference/access-changes.ts';
import { apiChanges } from '../../../compiler/difference/api-changes.ts';
import { dataDifference } from '../../../compiler/difference/data-difference.ts';
import type { DataStep } from '../../../compiler/difference/difference.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { definitionOf } from '../emit-sql-database.ts';

const BASE = `
model User { field email { type string, unique }  field hash { type string, secret } }
auth { model User, login email, password hash, register off }
model Post {
  reference owner { to User, nullable, on delete set null }
  field title { type string }
  field net { type integer, default 0 }
  field size { type integer, nullable, index }
  computed total { net * 2 }
}
api {
  entrypoint Post as posts {
    response { id, title, total }
    list endpoint { order by { title } }
    create endpoint { authorize { @auth is not null } action { create { set owner @auth } } }
    delete endpoint { authorize { posts.owner is @auth } }
  }
}`;

const BREAKING_ORDER = 'breaking list-order-changed';
const BREAKING_VALUE = 'breaking property-meaning-changed';

/** What takes the place of what, and the loud part of what is said. */
type Row = readonly [change: string, from: string, to: string, ...said: readonly string[]];

const TABLE: readonly Row[] = [
  ['nothing', 'model Post', 'model Post'],
  ['a list is reversed', 'order by { title }', 'order by { title desc }', BREAKING_ORDER],
  ['a list is ordered by another field', 'order by { title }', 'order by { net }', BREAKING_ORDER],
  ['a list is ordered by one more field', 'order by { title }', 'order by { title, net }', BREAKING_ORDER],
  ['a list is not ordered any more', 'order by { title }', '', BREAKING_ORDER],
  ['a formula has another number', 'net * 2', 'net * 3', BREAKING_VALUE],
  ['a formula reads another field', 'net * 2', 'id * 2', BREAKING_VALUE],
  ['a formula has another operator', 'net * 2', 'net + 2', BREAKING_VALUE],
  ['records are deleted with another one', 'on delete set null', 'on delete cascade', 'loss now'],
  ['records are restricted', 'on delete set null', 'on delete restrict'],
  ['an index is removed', 'nullable, index }', 'nullable }'],
  ['the owner is chosen', 'create { set owner @auth }', 'create {}', 'weaker'],
  ['the owner is always nobody', 'create { set owner @auth }', 'create { set owner null }'],
  ['anyone may delete', 'delete endpoint { authorize { posts.owner is @auth } }', 'delete endpoint {}', 'weaker'],
  ['others may delete', 'posts.owner is @auth', 'posts.owner is not @auth', 'other'],
  [
    'nobody without an owner may be signed in',
    'posts.owner is @auth',
    'posts.owner is @auth and posts.net is 0',
    'stricter',
  ],
  ['whoever is signed in may delete', 'posts.owner is @auth', '@auth is not null', 'weaker'],
  ['a field is dropped', 'field size { type integer, nullable, index }', 'drop size', 'loss later'],
];

describe('the verdict on a change', () => {
  before(() => loadGrammar());

  for (const [change, from, to, ...said] of TABLE) {
    it(`is right: ${change}`, () => {
      expect(BASE).to.include(from);
      const [before, after] = [BASE, BASE.replace(from, to)].map((text) => definitionOf([{ path: 'main.kiln', text }]));
      if (!before || !after) throw new Error('two programs are two definitions');
      const { steps, later } = dataDifference(before, after);
      const api = apiChanges(before, after)
        .filter(({ rule }) => /order|meaning/.test(rule))
        .map(({ level, rule }) => `${level} ${rule}`);
      const access = accessChanges(before, after).map(({ direction }) => direction);
      const isLoss = ({ hazards }: DataStep) => hazards.some(({ kind }) => kind === 'data-loss');
      const losses = [...(steps.some(isLoss) ? ['loss now'] : []), ...(later.some(isLoss) ? ['loss later'] : [])];
      expect([...new Set([...api, ...access, ...losses])]).to.deep.equal(said);
    });
  }

  it('does not count a field that has another name', () => {
    const renamed = BASE.replaceAll('net', 'gross').replace(
      'field gross { type integer',
      'field gross { type integer, was net',
    );
    const [before, after] = [BASE, renamed].map((text) => definitionOf([{ path: 'main.kiln', text }]));
    if (!before || !after) throw new Error('two programs are two definitions');
    expect(apiChanges(before, after).filter(({ rule }) => /order|meaning/.test(rule))).to.deep.equal([]);
  });
});
