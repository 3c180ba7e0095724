/** Requests for an operation: valid ones, and such with one thing wrong. */
import type { OutgoingHttpHeaders } from 'node:http';
import { pick, type Random } from '../../../runtime/populate/random.ts';
import type { SentRequest } from '../send.ts';
import type { Caller } from './accounts.ts';
import type { KnownValues, PathValues } from './known-values.ts';
import { SENT } from './marks.ts';
import { ODD_TEXTS, ODD_VALUES } from './odd-values.ts';
import type { FuzzedOperation } from './operations.ts';
import type { Body, Values } from './values.ts';

type Kind = 'valid' | 'nearly valid' | 'wild';

export interface FuzzedRequest extends SentRequest {
  readonly kind: Kind;
  readonly caller: Caller;
  /** What the request was made for; the path may have been changed since. */
  readonly operation: FuzzedOperation;
  readonly pathValues: PathValues;
}

/** A request before it is put into bytes. */
export interface Draft {
  readonly operation: FuzzedOperation;
  readonly caller: Caller;
  readonly pathValues: PathValues;
  readonly query: readonly (readonly [name: string, text: string])[];
  readonly body: Body | null;
}

export class Requests {
  readonly #random: Random;
  readonly #values: Values;
  readonly #known: KnownValues;

  constructor(random: Random, values: Values, known: KnownValues) {
    this.#random = random;
    this.#values = values;
    this.#known = known;
  }

  draft(operation: FuzzedOperation, caller: Caller): Draft {
    const isSent = (required: boolean) => required || this.#random.next() < 0.4;
    const parameters = operation.parameters.filter((each) => each.in === 'query' && isSent(each.required));
    return {
      operation,
      caller,
      pathValues: this.#pathValues(operation, caller),
      query: parameters.map(({ name, schema }) => [name, this.#values.textOf(schema, name, operation)] as const),
      body: this.#values.bodyOf(operation),
    };
  }

  /** Of the caller's own records, of anybody's, or of none. */
  #pathValues(operation: FuzzedOperation, caller: Caller): PathValues {
    const own = this.#known.madeBy(caller.name, operation);
    const stored = this.#known.storedFor(operation);
    const chance = this.#random.next();
    const values = own.length > 0 && chance < 0.45 ? own : chance < 0.95 ? stored : [];
    const chosen = values.length === 0 ? {} : pick(values, this.#random);
    const missing = operation.parameters.filter(({ in: place, name }) => place === 'path' && !(name in chosen));
    const made = missing.map(({ name, schema }) => [name, this.#values.textOf(schema, name, operation) || 'x']);
    return { ...chosen, ...Object.fromEntries(made) };
  }

  /** One thing about it is wrong. */
  spoiled(draft: Draft): Draft {
    const ways = [
      ...(draft.body && Object.keys(draft.body).length > 0 ? [this.#wrongValue, this.#missing, this.#wrongValue] : []),
      ...(draft.body ? [this.#unknownKey] : []),
      ...(draft.query.length > 0 ? [this.#wrongQuery] : []),
      ...(Object.keys(draft.pathValues).length > 0 ? [this.#wrongPath] : []),
      this.#unknownQuery,
    ];
    return pick(ways, this.#random).call(this, draft);
  }

  #keyOf(values: object): string {
    return pick(Object.keys(values), this.#random);
  }

  #wrongValue(draft: Draft): Draft {
    const body = draft.body ?? {};
    return { ...draft, body: { ...body, [this.#keyOf(body)]: pick(ODD_VALUES, this.#random) } };
  }

  #missing(draft: Draft): Draft {
    const { [this.#keyOf(draft.body ?? {})]: _, ...body } = draft.body ?? {};
    return { ...draft, body };
  }

  #unknownKey(draft: Draft): Draft {
    const name = pick(['id', 'is_admin', 'created_at', 'user_id', SENT, 'toString', '$where'], this.#random);
    return { ...draft, body: { ...draft.body, [name]: pick(ODD_VALUES, this.#random) } };
  }

  #wrongQuery(draft: Draft): Draft {
    const at = this.#random.below(draft.query.length);
    const wrong = () => pick(ODD_TEXTS, this.#random);
    return { ...draft, query: draft.query.map(([name, text], index) => [name, index === at ? wrong() : text]) };
  }

  #unknownQuery(draft: Draft): Draft {
    return { ...draft, query: [...draft.query, [pick(['x', 'page', 'id', SENT], this.#random), '-1']] };
  }

  #wrongPath(draft: Draft): Draft {
    const wrong = pick(ODD_TEXTS, this.#random) || 'x';
    return { ...draft, pathValues: { ...draft.pathValues, [this.#keyOf(draft.pathValues)]: wrong } };
  }
}

export function requestOf(draft: Draft, kind: Kind): FuzzedRequest {
  const { operation, caller, pathValues, query, body } = draft;
  return {
    kind,
    operation,
    caller,
    pathValues,
    method: operation.method,
    target: `${pathOf(operation.template, pathValues)}${queryText(query)}`,
    headers: { ...bodyHeaders(body), ...callerHeaders(caller) },
    body: body === null ? null : Buffer.from(JSON.stringify(body)),
  };
}

function bodyHeaders(body: Body | null): OutgoingHttpHeaders {
  return body === null ? {} : { 'content-type': 'application/json' };
}

function callerHeaders({ token }: Caller): OutgoingHttpHeaders {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

function pathOf(template: string, values: PathValues): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => segment(values[name] ?? 'x'));
}

/** Segments of dots would be another path for whoever sends them. */
function segment(text: string): string {
  return encoded(text).replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'));
}

function queryText(query: Draft['query']): string {
  const parts = query.map(([name, text]) => `${encoded(name)}=${encoded(text)}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** A lone surrogate has no UTF-8. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
