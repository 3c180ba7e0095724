export interface WordText {
  readonly means: string;
  /** A declaration, a member of a model, or something that an entrypoint can have. */
  readonly example: string;
}

/** Texts for words of expressions, which are no forms, by the node of the grammar. */
export const WORD_TEXTS: Readonly<Record<string, WordText>> = {
  is: {
    means:
      'Whether two values are equal. Null equals null, and two records are compared by `id`. When nobody is signed in, `x is @auth` is false.',
    example: 'computed is_draft { status is "draft" }',
  },
  is_not: {
    means: 'Whether two values differ. `x is not null` also tells the compiler that `x` is not null in what follows.',
    example: 'computed is_out { status is not "draft" }',
  },
  in: {
    means: 'Whether a list or a collection has the value.',
    example: 'computed is_known { status in ["draft", "published"] }',
  },
  not_in: {
    means: 'Whether a list or a collection does not have the value.',
    example: 'computed is_new { status not in ["draft", "published"] }',
  },
  and: {
    means: 'True if both sides are true. Null counts as false.',
    example: 'computed is_liked { published and likes > 3 }',
  },
  or: {
    means: 'True if one of the sides is true. Null counts as false.',
    example: 'computed is_seen { published or likes > 0 }',
  },
  not: { means: 'True if the value is false or null.', example: 'computed is_hidden { not published }' },
  true: {
    means: 'The boolean value true. `authorize { true }` says that anyone may call.',
    example: 'update endpoint { authorize { true } }',
  },
  false: { means: 'The boolean value false.', example: 'field archived { type boolean, default false }' },
  null: {
    means: 'No value. Only what is `nullable` can be null.',
    example: 'query unnamed { from Author as author, filter { author.nickname is null }, count }',
  },
  at_word: {
    means: 'An input that the client sends, also where a member has the same name.',
    example: 'list endpoint { extra inputs { field title { type string } }  filter { title is @input.title } }',
  },
};
