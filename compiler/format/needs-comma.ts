/** Words and signs that would carry on the expression before them. */
const OPERATORS: ReadonlySet<string> = new Set(['and', 'or', 'is', 'in', 'not', '-', '(']);
const DIRECTIONS: ReadonlySet<string> = new Set(['asc', 'desc']);

interface Neighbours {
  /** The type of the member before the gap. */
  readonly member: string;
  readonly lastWord: string;
  /** The first word of the member after the gap. */
  readonly nextWord: string;
}

/** Whether two members would be read as something else without a comma: `{ a, desc }` is two, `{ a desc }` one. */
export function needsComma(gap: Neighbours): boolean {
  return RULES[gap.member]?.(gap) ?? false;
}

const RULES: Readonly<Record<string, (gap: Neighbours) => boolean>> = {
  order_item: ({ nextWord }) => OPERATORS.has(nextWord) || DIRECTIONS.has(nextWord),
  key_part: ({ nextWord }) => DIRECTIONS.has(nextWord),
  result_member: ({ nextWord }) => nextWord === 'nullable',
  object_member: ({ nextWord }) => OPERATORS.has(nextWord),
  // Behind a name, a name with a capital letter would be taken for a shape.
  selected: ({ nextWord }) => OPERATORS.has(nextWord) || /^[A-Z]/.test(nextWord),
  enum_value: valueNeedsComma,
  drop_value: valueNeedsComma,
};

function valueNeedsComma({ lastWord, nextWord }: Neighbours): boolean {
  return nextWord === 'was' || lastWord === 'drop';
}
