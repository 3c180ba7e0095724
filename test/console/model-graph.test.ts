import { expect } from 'chai';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import {
  modelGraphFrom,
  type ShownMember,
  type ShownModel,
  wholeGraphFrom,
} from '../../runtime/console/model-graph.ts';
import { definitionOf, exampleDefinition } from '../compiler/openapi/documents.ts';

const SOURCE = `
enum Status { draft, live }

/// Who writes.
model Author {
  field name { type string }
  field password_hash { type string, secret }
  relation posts { from Post, through author }
  relation card { from Card, through author }
}

model Post {
  reference author { to Author, on delete cascade }
  reference parent { to Post, nullable, on delete set null }
  reference origin { to Feed, nullable }
  /// For the address.
  field slug { type string, unique }
  field status { type Status, default "draft" }
  field cost { type decimal, nullable, secret }
  computed shout { upper(slug) }
  query live_ones { from Post as post, filter { post.status is "live" }, order by { post.slug asc } }
  hook badge { arg slug slug, inline "'TOP-SECRET-CODE' + slug" }
}

model Card { reference author { to Author, unique } }
model Feed { field address { type string } }
model Journal { field line { type string } }

populator Dev { populate Journal { repeat 2, set line "POPULATED" } }

api {
  entrypoint Post as post {
    response { slug, author { name, card { id } } }
    list endpoint {}
    create endpoint { action { create { input { slug, author_id }, set status "live", set origin_id null }, create Journal as entry { set line "JOURNALED" } } }
  }
}
`;

describe('the models of the documentation page', () => {
  before(() => loadGrammar());

  it('are those that a client meets', () => {
    expect(graphOf(SOURCE).models.map(({ name }) => name)).to.deep.equal(['Author', 'Card', 'Post']);
  });

  it('tell nothing that is secret, hidden, or of the code', () => {
    const text = JSON.stringify(graphOf(SOURCE));
    for (const hidden of [
      'password_hash',
      'cost',
      'Feed',
      'origin',
      'Journal',
      'CODE',
      'POPULATED',
      'JOURNALED',
      'upper',
    ]) {
      expect(text, hidden).to.not.include(hidden);
    }
  });

  it('have their members with types, marks and comments', () => {
    expect(modelIn(SOURCE, 'Post').members.map(lineOf)).to.deep.equal([
      'field id: integer unique',
      'reference author: Author',
      'reference parent: Post nullable',
      'field slug: string unique // For the address.',
      'field status: Status draft|live',
      'computed shout: string',
      'query live_ones: Post many',
      'hook badge: null',
    ]);
    expect(modelIn(SOURCE, 'Author')).to.include({ doc: 'Who writes.' });
    expect(modelIn(SOURCE, 'Post').entrypoints).to.deep.equal(['post']);
  });

  it('have an edge for each reference, with the relation that is its other side', () => {
    expect(graphOf(SOURCE).edges).to.deep.equal([
      { from: 'Card', to: 'Author', reference: 'author', relation: 'card', unique: true, nullable: false },
      { from: 'Post', to: 'Author', reference: 'author', relation: 'posts', unique: false, nullable: false },
      { from: 'Post', to: 'Post', reference: 'parent', relation: null, unique: false, nullable: true },
    ]);
  });

  it('hide the hash of a password', () => {
    const { auth } = exampleDefinition('helpdesk');
    const hash = auth?.password?.hash ?? '';
    expect(hash).to.not.equal('');
    expect(JSON.stringify(modelGraphFrom(exampleDefinition('helpdesk')))).to.not.include(hash);
  });

  it('are all there with their rules for those who have the key', () => {
    const { models, edges } = wholeGraphFrom(definitionOf([{ path: 'main.kiln', text: SOURCE }]));
    expect(models.map(({ name }) => name)).to.deep.equal(['Author', 'Card', 'Feed', 'Journal', 'Post']);
    expect(edges.map(({ from, reference }) => `${from}.${reference}`)).to.include('Post.origin');
    const members = models.find(({ name }) => name === 'Post')?.members ?? [];
    const member = (wanted: string) => members.find(({ name }) => name === wanted);
    expect(member('status')?.default).to.equal('"draft"');
    expect(member('cost')).to.include({ secret: true, nullable: true });
    expect(member('author')).to.include({ onDelete: 'cascade' });
    expect(JSON.stringify(models)).to.not.include('CODE').and.not.include('POPULATED');
  });

  it('say rules in the words of the language', () => {
    const source = `
model Offer {
  field price { type decimal, default 1.50, validate { min(0.5) and (max(9) or isEqual(99)) } }
  field made { type timestamp, default now(), index }
  field words { type string, validate { not pattern("^x") } }
  unique { price, made }
  index { price, made desc }
}`;
    const [offer] = wholeGraphFrom(definitionOf([{ path: 'main.kiln', text: source }])).models;
    const rules = offer?.members.slice(1).map(({ default: initial, validate, index }) => [initial, validate, index]);
    expect(rules).to.deep.equal([
      ['1.50', 'min(0.5) and (max(9) or isEqual(99))', undefined],
      ['now()', undefined, true],
      [undefined, 'not pattern("^x")', undefined],
    ]);
    expect(offer).to.deep.include({ indexes: ['price, made desc'], uniques: ['price, made'] });
  });

  it('come with the settings, but not for every reader', () => {
    const text = `enum Size { small }
      /// Where it is.
      setting SHOP_URL {}
      setting SIZE { type Size, default "small" }
      setting KEY { secret }
      ${SOURCE}`;
    expect(wholeGraphFrom(definitionOf([{ path: 'main.kiln', text }])).settings).to.deep.equal([
      '`KEY` (string, secret): must be set',
      '`SHOP_URL` (string): must be set. Where it is.',
      '`SIZE` (Size): `small` if it is not set',
    ]);
    expect(graphOf(text)).to.not.have.property('settings');
  });

  it('are none where nothing is served', () => {
    expect(graphOf('model Alone { field name { type string } }')).to.deep.equal({ models: [], edges: [] });
  });
});

function graphOf(text: string) {
  return modelGraphFrom(definitionOf([{ path: 'main.kiln', text }]));
}

function modelIn(text: string, name: string): ShownModel {
  return graphOf(text).models.find((model) => model.name === name) as ShownModel;
}

function lineOf({ kind, name, type, unique, nullable, many, values, doc }: ShownMember): string {
  const marks = [unique && 'unique', nullable && 'nullable', many && 'many', values?.join('|'), doc && `// ${doc}`];
  return [`${kind} ${name}: ${type}`, ...marks.filter(Boolean)].join(' ');
}
