/**
 * The models as the console's data API knows them. Names that a request brings are looked up here, and only names of the
 * definition go into statements.
 */
import { passwordAuthOf } from '../../../compiler/definition/accounts.ts';
import { columnDefault } from '../../../compiler/definition/column-default.ts';
import type { Definition, Field, Model } from '../../../compiler/definition/definition.ts';
import type { Expression, Type } from '../../../compiler/definition/expression.ts';
import { enumValuesIn, hasNode, modelIn, referencesTo } from '../../../compiler/definition/lookup.ts';
import { reachedFrom } from '../../../compiler/definition/request-values.ts';
import { Catalogue } from '../../../compiler/definition/sql/catalogue.ts';
import { Frame, Row } from '../../../compiler/definition/sql/frame.ts';
import { selectedAt } from '../../../compiler/definition/sql/paths.ts';
import { type Name, quotedName, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError } from '../../errors/api-error.ts';
import { Statements } from '../../query/statements.ts';
import type { EnumValues } from '../../values/kinds.ts';
import type { SettingValues } from '../../values/settings.ts';
import type { DataColumn, Referrers } from './data-forms.ts';

/** A column of the table, or a computed member. */
export interface ShownColumn {
  readonly field: Pick<Field, 'name' | 'type'>;
  readonly sqlType: Sql;
  readonly form: DataColumn;
  /** Its value in the row that is called `of`. */
  readonly place: (of: Sql) => Sql;
}

export interface KnownColumn extends ShownColumn {
  readonly name: Name;
}

export interface KnownModel {
  /** All models of the application. */
  readonly models: DataModels;
  readonly model: Model;
  readonly table: Name;
  readonly columns: readonly KnownColumn[];
  /** The columns, and behind them the computed members. */
  readonly shown: readonly ShownColumn[];
  readonly id: KnownColumn;
  /** Null where no column says which record it is. */
  readonly label: KnownColumn | null;
  /** A reference that each record has for itself: without a telling column, it is called as what it refers to. */
  readonly namesake: KnownColumn | null;
  /** References of other models, and of this one, that lead here. */
  readonly referredBy: readonly Referrer[];
}

type Referrer = Pick<Referrers, 'model' | 'column' | 'reference'>;

export class DataModels {
  readonly definition: Definition;
  readonly enumValues: EnumValues;
  readonly #catalogue: Catalogue;
  readonly #known = new Map<string, KnownModel>();
  readonly #statements: Statements;

  constructor(definition: Definition, settings: SettingValues = {}) {
    this.definition = definition;
    this.#catalogue = new Catalogue(definition);
    this.enumValues = enumValuesIn(definition);
    const environment = { hook: notOfRows, enumValues: this.enumValues, settings };
    const tools = { catalogue: this.#catalogue, environment, hookCall: notOfRows, overflowed: () => undefined };
    this.#statements = new Statements(tools, notOfRows);
  }

  get all(): readonly KnownModel[] {
    return this.definition.models.map(({ name }) => this.model(name));
  }

  /** Throws an ApiError where the definition has no such model. */
  model(name: string): KnownModel {
    const known = this.#known.get(name) ?? this.#made(name);
    this.#known.set(name, known);
    return known;
  }

  #made(name: string): KnownModel {
    const model = modelIn(this.definition, name);
    if (!model) throw new ApiError('not-found', { detail: `There is no model \`${name}\`.` });
    const columns = model.fields.map((field) => this.#column(model, field));
    return {
      models: this,
      model,
      table: quotedName(model.table),
      columns,
      shown: [...columns, ...this.#computed(model)],
      id: columns.find(({ field }) => field.name === 'id') as KnownColumn,
      ...labelAmong(columns),
      referredBy: referencesTo(this.definition, name).map(referrerFrom),
    };
  }

  #column(model: Model, field: Field): KnownColumn {
    const form = this.#form(model, field);
    const name = quotedName(field.column);
    return { field, name, sqlType: this.#catalogue.sqlType(field.type), form, place: (of) => sql`${of}.${name}` };
  }

  /** The computed members that each caller sees alike. */
  #computed(model: Model): readonly ShownColumn[] {
    return model.computed
      .filter(({ value }) => value.type.kind !== 'file' && !this.#dependsOnRequest(value, model))
      .map(({ name, doc, value }) => ({
        field: { name, type: value.type },
        sqlType: this.#catalogue.sqlType(value.type),
        form: { ...this.#typeForm(name, doc, value.type), isComputed: true },
        place: (of) => {
          const building = { ...this.#statements.building(), atEnd: selectedAt };
          return sql`(${building.value(value, new Row(new Frame(building), of, this.#catalogue.model(model.name)))})`;
        },
      }));
  }

  #dependsOnRequest(value: Expression, { name }: Model): boolean {
    const ofRequest = ['snapshot', 'request', 'authenticated'];
    return hasNode(reachedFrom(value, name, this.definition), ({ kind }) => ofRequest.includes(String(kind)));
  }

  #typeForm(name: string, doc: string | null | undefined, type: Type): DataColumn {
    return {
      name,
      type: type.kind,
      ...(doc && { doc }),
      ...(type.digits && { digits: type.digits }),
      ...(type.many && { isList: true }),
      ...(type.nullable && { isNullable: true }),
      ...(type.enum !== undefined && { values: this.enumValues(type.enum) }),
    };
  }

  #form(model: Model, field: Field): DataColumn {
    const { name, doc, type, unique } = field;
    const isPassword = passwordFieldOf(this.definition, model) === name;
    const reference = model.references.find((each) => each.field === name);
    return {
      ...this.#typeForm(name, doc ?? reference?.doc, type),
      ...((unique || name === 'id' || reference?.unique) && { isUnique: true }),
      ...((field.secret || isPassword) && { isSecret: true }),
      ...(isPassword && { isPassword: true }),
      ...((columnDefault(field) !== null || name === 'id') && { hasDefault: true }),
      ...(reference && { reference: { name: reference.name, to: reference.to } }),
    };
  }
}

function referrerFrom({ from, field, name }: ReturnType<typeof referencesTo>[number]): Referrer {
  return { model: from, column: field, reference: name };
}

/** Throws an ApiError where the model has no such column. */
export function columnOf({ model, shown }: KnownModel, name: string): ShownColumn {
  const found = shown.find(({ field }) => field.name === name);
  if (!found) throw new ApiError('malformed-request', { detail: `\`${model.name}\` has no column \`${name}\`.` });
  return found;
}

function notOfRows(): never {
  throw new Error('a computed member of a row has neither a caller nor custom code');
}

function passwordFieldOf(definition: Definition, model: Model): string | undefined {
  const auth = passwordAuthOf(definition);
  return auth?.model === model.name ? auth.password.hash : undefined;
}

/** Names that usually tell people which record it is, the best first. */
const TELLING = 'name title label display_name full_name subject email username login slug code number'.split(' ');

function labelAmong(columns: readonly KnownColumn[]): Pick<KnownModel, 'label' | 'namesake'> {
  const texts = columns.filter(({ field: { type }, form }) => type.kind === 'string' && !type.many && !form.isSecret);
  const spelled = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const telling = TELLING.map((word) => texts.find(({ field }) => spelled(field.name) === word)).find(Boolean);
  const certain = telling ?? texts.find(({ form }) => form.isUnique && !form.isNullable) ?? null;
  const namesake = columns.find(({ form }) => form.isUnique && form.reference) ?? null;
  if (certain !== null || namesake !== null) return { label: certain, namesake: certain === null ? namesake : null };
  return { label: texts[0] ?? null, namesake: null };
}
