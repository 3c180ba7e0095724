/** Real records for the paths of endpoints: what a path has to say to name a record that is there. */
import type { Definition, Model } from '../../../compiler/definition/definition.ts';
import type { PathRecord } from '../../../compiler/definition/endpoint.ts';
import type { Step } from '../../../compiler/definition/expression.ts';
import { quotedName } from '../../../compiler/definition/sql/sql.ts';

/**
 * A statement that gives one row, with a text for each parameter of the path under its name; no row where there are no
 * such records. Null where a record is found by a query, whose filter only the server knows.
 */
export function recordsStatement(records: readonly PathRecord[], { models }: Definition): string | null {
  const statement = new Statement(models);
  for (const [at, record] of records.entries()) {
    const isFound = at === 0 ? statement.start(record.model) : statement.walk(record.through);
    const isNamed = isFound && (record.identify === null || statement.take(record.identify));
    if (!isNamed) return null;
  }
  return statement.text();
}

class Statement {
  readonly #models: ReadonlyMap<string, Model>;
  readonly #joins: string[] = [];
  readonly #taken: string[] = [];
  readonly #needed: string[] = [];
  /** Where the path is: the alias and its model. */
  #at = { alias: '', model: '' };

  constructor(models: readonly Model[]) {
    this.#models = new Map(models.map((model) => [model.name, model]));
  }

  start(model: string): boolean {
    this.#at = { alias: 'r0', model };
    this.#joins.push(`FROM ${this.#table(model)} r0`);
    return true;
  }

  walk(step: Step | null): boolean {
    if (step === null || step.kind === 'query') return false;
    const alias = `r${this.#joins.length}`;
    const { alias: from, model } = this.#at;
    const [own, theirs] =
      step.kind === 'reference'
        ? [this.#column(step.model, 'id'), this.#column(model, step.field)]
        : [this.#column(step.model, step.field), this.#column(model, 'id')];
    this.#joins.push(`JOIN ${this.#table(step.model)} ${alias} ON ${alias}.${own} = ${from}.${theirs}`);
    this.#at = { alias, model: step.model };
    return true;
  }

  /** What is nested in the record begins at it again. */
  take({ path, model, field, parameter }: NonNullable<PathRecord['identify']>): boolean {
    const record = this.#at;
    if (!path.every((step) => this.walk(step))) return false;
    const column = `${this.#at.alias}.${this.#column(model, field)}`;
    // As JSON writes it, which is how it stands in a path.
    this.#taken.push(`to_json(${column}) #>> '{}' AS ${quotedName(parameter)}`);
    this.#needed.push(`${column} IS NOT NULL`);
    this.#at = record;
    return true;
  }

  text(): string {
    return `SELECT ${this.#taken.join(', ')} ${this.#joins.join(' ')} WHERE ${this.#needed.join(' AND ')} LIMIT 1`;
  }

  #table(model: string): string {
    return quotedName((this.#models.get(model) as Model).table);
  }

  #column(model: string, name: string): string {
    const field = this.#models.get(model)?.fields.find((each) => each.name === name);
    return quotedName(field?.column ?? name);
  }
}
