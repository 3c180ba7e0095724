import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { costChanges } from '../../../pipeline/difference/cost-changes.ts';
import { definitionOf } from '../../compiler/openapi/documents.ts';

const MODELS = `model Author {
  field name { type string }
  relation posts { from Post, through author }
  query drafts { from Post as post, filter { post.published is false } }
}
model Post {
  reference author { to Author }
  field title { type string }
  field published { type boolean, default false }
  index { published, title }
}
`;

const LIST = 'entrypoint Post { list endpoint { filter { published is true }, order by { title }, paginable } }';
const NO_INDEX = MODELS.replace('  index { published, title }\n', '');
const FILTER =
  'GET /api/post: reads every `Post` to filter by `published`: add `index { published, title }` to `model Post`';

describe('the cost of a change', () => {
  before(() => loadGrammar());

  it('is nothing where nothing changes, and where what changes costs the same', () => {
    expect(costOf([MODELS, LIST], [MODELS, LIST])).to.deep.equal([]);
    expect(costOf([MODELS, LIST], [MODELS.replace('field name', 'field email'), LIST])).to.deep.equal([]);
  });

  it('is more where an endpoint loses its index, and less where it gets one', () => {
    expect(costOf([MODELS, LIST], [NO_INDEX, LIST])).to.deep.equal([`more index ${FILTER}`]);
    expect(costOf([NO_INDEX, LIST], [MODELS, LIST])).to.deep.equal([
      'less index GET /api/post: no longer reads every `Post` to filter by `published`',
    ]);
  });

  it('is more where an index is gone, also where the same endpoint lacked one before', () => {
    const newest = LIST.replace('order by { title }', 'order by { author_id }');
    const plain = NO_INDEX.replace('field title { type string }', 'field title { type string, index }');
    const sorts = 'sorts every matching `Post` by `title` to give a part of them';
    const advice = 'add `index { published, title }` to `model Post`';
    expect(costOf([plain, LIST], [NO_INDEX, LIST])).to.deep.equal([`more index GET /api/post: ${sorts}: ${advice}`]);
    expect(costOf([NO_INDEX, LIST], [plain, LIST])).to.deep.equal([`less index GET /api/post: no longer ${sorts}`]);
    expect(costOf([MODELS, newest], [NO_INDEX, newest])).to.deep.equal([
      `more index ${FILTER.replace('{ published, title }', '{ published, author }')}`,
    ]);
  });

  it('is more where a filter is new that no index serves', () => {
    const plain = 'entrypoint Author { list endpoint { paginable } }';
    const filtered = plain.replace('paginable', 'filter { name is "Ada" }, paginable');
    expect(costOf([MODELS, plain], [MODELS, filtered])).to.deep.equal([
      'more index GET /api/author: reads every `Author` to filter by `name`: add `index` to `field name` of `model Author`',
    ]);
  });

  it('is that of a model that another one reads', () => {
    const read = 'entrypoint Author { list endpoint { response { name, drafts { title } } } }';
    expect(costOf([MODELS, read], [NO_INDEX, read])).to.deep.equal([
      'more index GET /api/author: reads every `Post` to filter by `published`: add `index` to `field published` of `model Post`',
    ]);
  });

  it('is the number of statements of a request', () => {
    const plain = 'entrypoint Author { list endpoint { response { name } } }';
    const nested = plain.replace('{ name }', '{ name, posts { title, author { posts { title } } } }');
    expect(costOf([MODELS, plain], [MODELS, nested])).to.deep.equal([
      'more statements GET /api/author: a request sends 3 statements, not 1',
    ]);
    expect(costOf([MODELS, nested], [MODELS, plain])).to.deep.equal([
      'less statements GET /api/author: a request sends 1 statement, not 3',
    ]);
  });

  it('is told of a new endpoint only where it lacks an index or sends many statements', () => {
    const cheap = 'entrypoint Author as author { get endpoint {} }';
    expect(costOf([MODELS, ''], [MODELS, cheap])).to.deep.equal([]);
    expect(costOf([NO_INDEX, ''], [NO_INDEX, LIST])).to.deep.equal([`more index ${FILTER}`]);
    const deep = (levels: number): string => (levels === 0 ? 'name' : `name, posts { author { ${deep(levels - 1)} } }`);
    const costly = `entrypoint Author { list endpoint { response { ${deep(5)} } } }`;
    expect(costOf([MODELS, ''], [MODELS, costly])).to.deep.equal([
      'more statements GET /api/author: a request sends 6 statements',
    ]);
  });
});

type Program = readonly [models: string, entrypoints: string];

function costOf(before: Program, after: Program): readonly string[] {
  const definition = ([models, entrypoints]: Program) =>
    definitionOf([{ path: 'main.kiln', text: `${models}\napi { ${entrypoints} }\n` }]);
  return costChanges(definition(before), definition(after)).map(
    ({ direction, kind, endpoint, says }) => `${direction} ${kind} ${endpoint}: ${says}`,
  );
}
