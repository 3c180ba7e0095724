import { pathTemplate } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import type { Line } from '../../compiler/difference/difference.ts';
import { planOf } from '../../runtime/plan/endpoint-plan.ts';
import { statementCountIn } from '../../runtime/plan/statement-count.ts';
import { eachIndexOnce, type LackingIndex, lackingIndexes } from '../../runtime/query/index-advice.ts';

/** The cost of a request to the database, where it has changed. */
export interface CostChange extends Line {
  readonly endpoint: string;
  /** `index`: no index serves its filter or its order. */
  readonly kind: 'statements' | 'index';
  readonly direction: 'more' | 'less';
}

/** The number of statements of a request from which on a new endpoint is reported. */
const MANY_STATEMENTS = 6;

/**
 * Compares the costs of requests, increases first. A removed endpoint is left out, since its removal is reported
 * already.
 */
export function costChanges(before: Definition, after: Definition): readonly CostChange[] {
  const [was, is] = [costsOf(before), costsOf(after)];
  const changes = after.endpoints.flatMap((one) => changesOf(one, was.get(one.id), is.get(one.id) as Cost));
  return [...changes.filter(isMore), ...changes.filter((change) => !isMore(change))];
}

function isMore({ direction }: CostChange): boolean {
  return direction === 'more';
}

interface Cost {
  readonly statements: number;
  readonly lacks: readonly LackingIndex[];
}

function costsOf(definition: Definition): ReadonlyMap<string, Cost> {
  const countOf = statementCountIn(definition);
  const lacking = lackingIndexes(definition);
  return new Map(
    definition.endpoints.map((endpoint) => [
      endpoint.id,
      { statements: countOf(planOf(endpoint, definition)), lacks: lacking.get(endpoint.id) ?? [] },
    ]),
  );
}

function changesOf(endpoint: Endpoint, was: Cost | undefined, is: Cost): readonly CostChange[] {
  const line = (kind: CostChange['kind'], direction: CostChange['direction'], says: string): CostChange => ({
    endpoint: `${endpoint.method} ${pathTemplate(endpoint.path)}`,
    kind,
    direction,
    says,
    subject: { kind: 'endpoint', id: endpoint.id },
  });
  const [former, latter] = [was?.lacks ?? [], is.lacks];
  return [
    ...statementChange(was?.statements, is.statements, line),
    ...onlyInFirst(latter, former).map(({ says, advice }) => line('index', 'more', `${says}: ${advice}`)),
    ...onlyInFirst(former, latter).map(({ says }) => line('index', 'less', `no longer ${says}`)),
  ];
}

/** An index that was lacking for something else already does not hide what it is lacking for now. */
function onlyInFirst(lacks: readonly LackingIndex[], others: readonly LackingIndex[]): readonly LackingIndex[] {
  return eachIndexOnce(lacks.filter(({ says }) => others.every((other) => other.says !== says)));
}

type WriteLine = (kind: CostChange['kind'], direction: CostChange['direction'], says: string) => CostChange;

function statementChange(was: number | undefined, is: number, line: WriteLine): readonly CostChange[] {
  if (was === undefined)
    return is < MANY_STATEMENTS ? [] : [line('statements', 'more', `a request sends ${plural(is, 'statement')}`)];
  if (was === is) return [];
  return [line('statements', is > was ? 'more' : 'less', `a request sends ${plural(is, 'statement')}, not ${was}`)];
}
