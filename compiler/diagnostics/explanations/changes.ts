import type { changeWords } from '../catalogue/changes.ts';
import { AUTHOR_NAME, POST_AUTHOR, POST_TITLE, TICKET_STATUS } from './example-models.ts';
import { declarations, type Explanation, kiln } from './explanation.ts';

/** How a program differs from the release before. */
export const changeExplanations = {
  'model-disappeared': {
    text: 'A model of the previous release is no longer declared. It may have been renamed or deleted. The sources look the same in both cases, and deleting it loses its records. So you have to say which: `was` keeps the records, `drop model` deletes them.',
    before: kiln`
      model Article {
        field title { type string }
      }
    `,
    source: declarations(POST_TITLE),
    fix: [['model Post', 'model Post was Article']],
  },

  'member-disappeared': {
    text: 'A field or a reference of the previous release is no longer declared, and its column may hold values. If it was renamed, write `was` and the old name in the new one. If it was deleted, write `drop` in the model: then the migration deletes the column.',
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
    text: 'A value of an enum is no longer declared, and records may still have it. If it was renamed, write `was`. If it was deleted, write `drop`: then the migration does not run while a record still has it.',
    before: declarations('enum Status { open, waiting, closed }', TICKET_STATUS),
    source: declarations('enum Status { open, closed }', TICKET_STATUS),
    fix: [['{ open, closed }', '{ open, closed, drop waiting }']],
  },

  'ambiguous-rename': {
    text: '`was` says that something was renamed, but the previous release has both the old name and the new one. So Kiln cannot tell which of the two is meant. Drop one of them. If both have values to keep, do that in an earlier release.',
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
    text: 'The new type cannot hold every value of the old one: not every text is a number, and a date has no time. Kiln changes a type in place only if no value can be lost. Add a second field with the new type, and fill it with a `backfill`.',
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
    text: 'The `id` of a model is in the URLs of its records and in every reference to them. With another type, these URLs and references would no longer work. Keep the type, or drop the model and declare a new one with another name.',
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
    text: 'The reference has another target model than before, but its column still holds ids of the old one. The same ids would now mean other records. If the model was renamed, write `was` in it. Otherwise add a reference with another name.',
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
    text: 'A new field is required, but existing records have no value for it. Give them one with a `default`, or with a `backfill`, which is computed for each record. Or make the field `nullable`. A reference has no default: its `backfill` gives the record that each existing record refers to, or the id of that record.',
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
    text: 'A field was nullable until now, so existing records may have null in it. They need a value before the field can be required. Give them one with a `default` or a `backfill`.',
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
