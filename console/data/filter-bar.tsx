/** The filters of a table: those that hold, and a form for one more. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type DataColumn, type DataModel, type Operator, operatorsOf } from '../../runtime/console/data/data-forms.ts';
import { Button, IconButton } from '../ui/button.tsx';

interface FilterBarProps {
  readonly model: DataModel;
  readonly filters: readonly string[];
  readonly onChange: (filters: readonly string[]) => void;
}

const WORDS: Readonly<Record<Operator, string>> = {
  is: 'equals',
  contains: 'contains',
  greater: 'is greater than',
  less: 'is less than',
  null: 'is null',
  'not-null': 'is not null',
};

export function FilterBar({ model, filters, onChange }: FilterBarProps): JSX.Element {
  const [name, setName] = useState(model.label ?? 'id');
  const column = model.columns.find((each) => each.name === name) as DataColumn;
  const operators = operatorsOf(column);
  const [wanted, setOperator] = useState<Operator>('contains');
  const operator = operators.includes(wanted) ? wanted : (operators[0] as Operator);
  const [value, setValue] = useState('');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const given = usesValue(operator) ? valueFor(column, value) : '';
    onChange([...filters, `${name}:${operator}:${given}`]);
    setValue('');
  };
  return (
    <div class="data-filters">
      <form onSubmit={submit} aria-label="Filter">
        <select class="input" aria-label="Column" value={name} onChange={(event) => setName(event.currentTarget.value)}>
          {model.columns.map((each) => (
            <option key={each.name}>{each.name}</option>
          ))}
        </select>
        <select
          class="input"
          aria-label="Comparison"
          value={operator}
          onChange={(event) => setOperator(event.currentTarget.value as Operator)}
        >
          {operators.map((each) => (
            <option key={each} value={each}>
              {WORDS[each]}
            </option>
          ))}
        </select>
        {usesValue(operator) && <ValueBox column={column} operator={operator} value={value} onInput={setValue} />}
        <Button isSmall type="submit">
          Filter
        </Button>
      </form>
      {filters.length > 0 && (
        <ul class="data-chips" aria-label="Active filters">
          {filters.map((filter, at) => (
            <li key={filter}>
              <span>{filterText(filter)}</span>
              <IconButton
                icon="close"
                label={`Remove the filter: ${filterText(filter)}`}
                onClick={() => onChange(filters.filter((_, index) => index !== at))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function usesValue(operator: Operator): boolean {
  return operator !== 'null' && operator !== 'not-null';
}

/** What a select shows before anybody has chosen is its first value. */
function valueFor({ type, values = [] }: DataColumn, value: string): string {
  if (value !== '') return value;
  if (type === 'boolean') return 'true';
  return values[0] ?? '';
}

interface ValueBoxProps {
  readonly column: DataColumn;
  readonly operator: Operator;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function ValueBox({ column, operator, value, onInput }: ValueBoxProps): JSX.Element {
  const values = column.type === 'boolean' ? ['true', 'false'] : operator === 'is' ? (column.values ?? []) : [];
  if (values.length > 0)
    return (
      <select
        class="input"
        aria-label="Value"
        value={valueFor(column, value)}
        onChange={(event) => onInput(event.currentTarget.value)}
      >
        {values.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    );
  return (
    <input
      class="input"
      aria-label="Value"
      placeholder={PLACEHOLDERS[column.type] ?? 'Value'}
      value={value}
      required={operator !== 'is'}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

const PLACEHOLDERS: Readonly<Partial<Record<DataColumn['type'], string>>> = {
  timestamp: '2026-03-29T12:30:00Z',
  date: '2026-03-29',
};

function filterText(filter: string): string {
  const [name = '', operator = '', ...rest] = filter.split(':');
  const word = WORDS[operator as Operator] ?? operator;
  const value = rest.join(':');
  return usesValue(operator as Operator) ? `${name} ${word} ${value === '' ? '“”' : value}` : `${name} ${word}`;
}
