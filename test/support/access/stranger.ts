/**
 * A stranger as a caller: an account that was made a moment ago, to which nothing refers, and of whose fields some values
 * are known. The records of a path are not the stranger, and were there before.
 */
import type { Endpoint } from '../../../compiler/definition/endpoint.ts';
import type { Expression, Step } from '../../../compiler/definition/expression.ts';
import { isNull, KnownCaller, ofNothing, type Value } from '../../../compiler/definition/known-caller.ts';
import { withRulesWrittenOut } from '../../../compiler/definition/rules-written-out.ts';
import type { RuleSource } from '../../../compiler/difference/meaning.ts';

/** Values of the account's fields, as far as they are known. */
export type KnownFields = ReadonlyMap<string, string | number | boolean | null>;

const UNKNOWN: Value = { kind: 'unknown' };
/** The id of the stranger. */
const OWN: Value = { kind: 'unknown' };
/** The id of somebody else, or null. */
const FOREIGN: Value = { kind: 'unknown' };

export class Stranger extends KnownCaller {
  readonly #source: Pick<RuleSource, 'models' | 'auth'>;
  readonly #fields: KnownFields;

  constructor(source: Pick<RuleSource, 'models' | 'auth'>, fields: KnownFields) {
    super(source);
    this.#source = source;
    this.#fields = fields;
  }

  isRefusedBy(endpoint: Endpoint): boolean {
    const written = withRulesWrittenOut(endpoint, this.#source.models);
    return written.authorize.some((rule) => this.holds(rule, written) === false);
  }

  protected override isSignedIn(): boolean {
    return true;
  }

  protected override ofCaller(value: Expression | undefined): Value {
    if (value?.kind !== 'field' && value?.kind !== 'collect' && value?.kind !== 'aggregate') return UNKNOWN;
    const [first] = value.path;
    if (first !== undefined) return this.#leadsNowhere(first) ? ofNothing(value) : UNKNOWN;
    return value.kind === 'field' ? this.#ownField(value.field) : UNKNOWN;
  }

  #ownField(field: string): Value {
    if (field === 'id') return OWN;
    const value = this.#fields.get(field);
    return value === undefined ? UNKNOWN : { kind: 'plain', value };
  }

  /** No record refers to the stranger, and the stranger may refer to none. */
  #leadsNowhere(step: Step): boolean {
    return step.kind === 'relation' || (step.kind === 'reference' && this.#fields.get(step.field) === null);
  }

  protected override ofRecord(value: Expression, found: Value): Value {
    if (found.kind !== 'unknown') return found;
    if (value.kind === 'collect') return this.#isOfAccounts(value.value) ? { kind: 'list', items: [FOREIGN] } : UNKNOWN;
    return this.#isOfAccounts(value) ? FOREIGN : UNKNOWN;
  }

  /** The id of an account, or the key of a reference to one. */
  #isOfAccounts(value: Expression): boolean {
    if (value.kind !== 'field') return false;
    const { models, auth } = this.#source;
    if (value.field === 'id') return value.model === auth;
    const reference = models.get(value.model)?.references.find(({ field }) => field === value.field);
    return reference?.to === auth;
  }

  protected override equal(left: Value, right: Value): boolean | undefined {
    const sides = [left, right];
    if (!sides.includes(OWN)) return super.equal(left, right);
    if (sides.every((side) => side === OWN)) return true;
    return sides.includes(FOREIGN) || sides.some(isNull) ? false : undefined;
  }
}
