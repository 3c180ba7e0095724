import type { changeWords } from '../catalogue/changes.ts';
import { AUTHOR_NAME, POST_AUTHOR, POST_TITLE, TICKET_STATUS } from './example-models.ts';
import { declarations, type Explanation, kiln } from './explanation.ts';

/** How a program differs from the release before. */
export const changeExplanations = {
  'model-disappeared': {
    text: 'A model of the release before is no longer there. It may have a new name, or it may be gone with all its records; the sources look the same in both cases, and one of them deletes data. So the author says which: `was` keeps the records, `drop model` deletes them.',
    before: kiln`
      model Article {
        field title { type string }
      }
    `,
    source: declarations(POST_TITLE),
    fix: [['model Post', 'model Post was Article']],
  },

  'member-disappeared': {
    text: 'A field or a reference of the release before is no longer there, and its column may hold values. If it has a new name, write `was` in the new one; if it is gone, write `drop` in the model, and the migration deletes the column.',
    before: kiln`
      model Post {
        field title { type string }
        field subtitle { type string, nullable }
      }
    `,
    source: declarations(POST_TITLE),
    fix: [['field title { type string }', 'field title { type string }\n  drop subtitle']],
  },

  'value-disappeared': {
    text: 'An enum has lost a value that records may have. Say that another value takes its place with `was`, or `drop` it; then the migration refuses to run as long as a record still has it.',
    before: declarations('enum Status { open, waiting, closed }', TICKET_STATUS),
    source: declarations('enum Status { open, closed }', TICKET_STATUS),
    fix: [['{ open, closed }', '{ open, closed, drop waiting }']],
  },

  'ambiguous-rename': {
    text: 'Something says with `was` that it had another name, but the release before has both names. So it is not clear whether it is the old one renamed, or the one that had this name all along. Drop one of the two, in a release of its own if both have values to keep.',
    before: kiln`
      model Post {
        field name { type string }
        field title { type string }
      }
    `,
    source: kiln`
      model Post {
        field title { type string, was name }
      }
    `,
    fix: [['{ type string, was name }', '{ type string }\n  drop name']],
  },

  'lossy-type-change': {
    text: 'The new type cannot hold every value of the old one: a text need not be a number, a timestamp is more than a date. Kiln changes a type in place only where nothing gets lost. Add a field with the new type beside the old one, and fill it with a `backfill` that says how.',
    before: kiln`
      model Product {
        field weight { type float }
      }
    `,
    source: kiln`
      model Product {
        field weight { type integer }
      }
    `,
    fix: [
      [
        'field weight { type integer }',
        'field weight { type float }\n  field whole_weight { type integer, backfill round(weight) }',
      ],
    ],
  },

  'id-type-changed': {
    text: 'The `id` of a model is in the URLs of its records and in every reference to them. With another type, nothing could find them any more. Keep the type; or drop the model and begin anew under another name.',
    before: kiln`
      model Order {
        field total { type decimal }
      }
    `,
    source: kiln`
      model Order {
        field id { type uuid }
        field total { type decimal }
      }
    `,
    fix: [['  field id { type uuid }\n', '']],
  },

  'reference-target-changed': {
    text: 'The reference leads to another model than before, but its column still holds ids of the old one. The same numbers would now mean other records. If the model was renamed, say so with `was`; otherwise add a reference of another name.',
    before: kiln`
      model User {
        field name { type string }
      }

      ${AUTHOR_NAME}

      model Post {
        reference author { to User }
      }
    `,
    source: kiln`
      model User {
        field name { type string }
      }

      ${AUTHOR_NAME}

      ${POST_AUTHOR}
    `,
    fix: [['reference author { to Author }', 'reference writer { to Author, nullable }\n  drop author']],
  },

  'new-required-field': {
    text: 'A new field is required, and the records that exist have nothing in it. Say what they get: a `default`, or a `backfill` that is worked out from each record; or let it be null with `nullable`. A new reference has no default; its `backfill` gives the record to which each of them refers, or the id of that record.',
    before: declarations(POST_TITLE),
    source: kiln`
      model Post {
        field title { type string }
        field summary { type string }
      }
    `,
    fix: [['field summary { type string }', 'field summary { type string, backfill title }']],
  },

  'newly-required-field': {
    text: 'A field could be null until now, and records may have null in it. Before it can be required, they need a value: a `default` or a `backfill` says which.',
    before: kiln`
      model Post {
        field title { type string }
        field summary { type string, nullable }
      }
    `,
    source: kiln`
      model Post {
        field title { type string }
        field summary { type string }
      }
    `,
    fix: [['field summary { type string }', 'field summary { type string, backfill title }']],
  },
} satisfies Record<keyof typeof changeWords, Explanation>;
