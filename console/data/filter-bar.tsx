/** The filters of a table: those that hold, and a form for one more. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type DataColumn, type DataModel, type Operator, operatorsOf } from '../../runtime/console/data/data-forms.ts';
import { Button, IconButton, Select } from '../ui/controls.tsx';
import { ValueControl } from '../ui/value-control.tsx';
import { PLACEHOLDERS } from './record-form.tsx';

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
  const choices = choicesOf(column, operator);
  const [value, setValue] = useState('');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    // A select shows its first value before anybody has chosen.
    const given = usesValue(operator) ? value || (choices[0] ?? '') : '';
    onChange([...filters, `${name}:${operator}:${given}`]);
    setValue('');
  };
  return (
    <div class="data-filters spaced">
      <form class="buttons" onSubmit={submit} aria-label="Filter">
        <Select aria-label="Column" value={name} options={model.columns.map((each) => each.name)} onChange={setName} />
        <Select
          aria-label="Comparison"
          value={operator}
          options={operators.map((each) => [each, WORDS[each]])}
          onChange={(next) => setOperator(next as Operator)}
        />
        {usesValue(operator) && (
          <ValueControl
            attributes={{ 'aria-label': 'Value', required: operator !== 'is' }}
            choices={choices}
            names={operator === 'is' && column.reference ? { model: column.reference.to, field: 'id' } : null}
            placeholder={PLACEHOLDERS[column.type] ?? 'Value'}
            value={value}
            onInput={setValue}
          />
        )}
        <Button isSmall type="submit">
          Filter
        </Button>
      </form>
      {filters.length > 0 && (
        <ul class="data-chips buttons apart" aria-label="Active filters">
          {filters.map((filter, at) => (
            <li key={filter} class="line small">
              <span class="ellipsis">{filterText(filter)}</span>
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

/** The values to choose from; empty if any value may be typed. */
function choicesOf({ type, values = [] }: DataColumn, operator: Operator): readonly string[] {
  return type === 'boolean' ? ['true', 'false'] : operator === 'is' ? values : [];
}

function filterText(filter: string): string {
  const [name = '', operator = '', ...rest] = filter.split(':');
  const word = WORDS[operator as Operator] ?? operator;
  const value = rest.join(':');
  return usesValue(operator as Operator) ? `${name} ${word} ${value === '' ? '“”' : value}` : `${name} ${word}`;
}
