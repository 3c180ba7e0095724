import type { shapeWords } from '../catalogue/shapes.ts';
import { AUTHOR_NAME, AUTHOR_NAME_POSTS, POST_AUTHOR_TITLE } from './example-models.ts';
import { api, declarations, type Explanation } from './explanation.ts';

const PERSON = 'shape Person of Author { name }';
const CARD = 'shape Card of Post { title, author Person }';
const ANSWERS_CARD = api('Post', 'response Card', 'list endpoint {}');

export const shapeExplanations = {
  'unknown-shape': {
    text: 'There is no shape of this name. In a selection, a capitalised name directly after another name is always read as a shape: put a comma before it if it is a member.',
    source: declarations(
      AUTHOR_NAME,
      POST_AUTHOR_TITLE,
      PERSON,
      CARD.replace('author Person', 'author Persn'),
      ANSWERS_CARD,
    ),
    fix: [['Persn', 'Person']],
  },

  'shape-name': {
    text: 'Commas between the names of a selection are optional. The capital letter shows that `author Person` is a reference with a shape, and `author title` is two members. So every shape begins with one.',
    source: declarations(
      AUTHOR_NAME,
      'shape person of Author { name }',
      api('Author', 'response person', 'list endpoint {}'),
    ),
    fix: [
      ['shape person', 'shape Person'],
      ['response person', 'response Person'],
    ],
  },

  'shape-of-other-model': {
    text: 'A shape names members of one model, so it can be used only for records of that model. Use a shape of the model that is selected from, or declare one.',
    source: declarations(
      AUTHOR_NAME,
      POST_AUTHOR_TITLE,
      PERSON,
      api('Post', 'response Person', 'list endpoint {}'),
      api('Author', 'response Person', 'list endpoint {}'),
    ),
    fix: [['entrypoint Post {\n    response Person', 'entrypoint Post {\n    response { title, author Person }']],
  },

  'shape-of-groups': {
    text: 'A `group by` makes rows of plain values from many records. A shape names members of one record, so it has no meaning there. Write out the values of the groups, with aggregates such as `count()`.',
    source: declarations(
      AUTHOR_NAME,
      POST_AUTHOR_TITLE,
      PERSON,
      api(
        'Author',
        'response Person',
        'list endpoint {}',
        'GET many "names" { action { query as rows { from Author, group by { name }, select Person }, respond { body rows } } }',
      ),
    ),
    fix: [['select Person', 'select { name, authors: count() }']],
  },

  'shape-in-itself': {
    text: 'A shape that contains itself, directly or through another one, would give a response without an end. Select names in one of the places, or declare a smaller shape for it.',
    source: declarations(
      AUTHOR_NAME_POSTS,
      POST_AUTHOR_TITLE,
      'shape Person of Author { name, posts Card }',
      CARD,
      ANSWERS_CARD,
    ),
    fix: [['posts Card', 'posts { title }']],
  },

  'shape-too-large': {
    text: 'What a shape selects is written out in the statement wherever the shape is used. A few shapes that each use another one twice would make a statement of any size, so there is a limit.',
    source: declarations(
      AUTHOR_NAME_POSTS,
      POST_AUTHOR_TITLE,
      `shape A of Author { ${twenty((n) => `p${n}: posts { ${twenty((m) => `t${m}: title`)} }`)} }`,
      `shape B of Post { ${twenty((n) => `a${n}: author A`)} }`,
      api('Post', 'response B', 'list endpoint {}'),
      api('Author', 'response A', 'list endpoint {}'),
    ),
    fix: [[`{ ${twenty((n) => `a${n}: author A`)} }`, '{ author A }']],
  },

  'spread-conflict': {
    text: 'A property can be in an answer once. Where two shapes, or a shape and the selection around it, select the same, it is there once. Where they select something else under one name, neither is chosen silently: leave one of them out, or give it another name.',
    source: declarations(
      AUTHOR_NAME,
      POST_AUTHOR_TITLE,
      'shape Card of Post { title, author { name } }',
      api('Post', 'response { ...Card, author { id } }', 'list endpoint {}'),
    ),
    fix: [['...Card, author { id }', '...Card, author_id']],
  },

  'unused-shape': {
    text: 'This is a warning: no response, selection or other shape uses this shape. So it is in no answer, in no document and in no client.',
    source: declarations(AUTHOR_NAME, PERSON, api('Author', 'list endpoint {}')),
    fix: [['list endpoint {}', 'list endpoint { response Person }']],
  },
} satisfies Record<keyof typeof shapeWords, Explanation>;

function twenty(text: (number: number) => string): string {
  return Array.from({ length: 20 }, (_, index) => text(index + 1)).join(', ');
}
