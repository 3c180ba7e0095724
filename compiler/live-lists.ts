/**
 * What keeps a list from being live or an endpoint from being stale, and lists whose changes concern every caller. Members
 * are looked through as well, so this comes behind the check.
 */
import type { Definition } from './definition/definition.ts';
import type { Type } from './definition/expression.ts';
import { isLive, liveReads } from './definition/live.ts';
import { isCode, type Node, nodesIn } from './definition/lookup.ts';
import { needOfPrimary } from './definition/replicas.ts';
import { reachedFrom, requestValuesOf } from './definition/request-values.ts';
import type { Diagnostics } from './diagnostics/diagnostics.ts';
import type { Program } from './program/program.ts';
import { definedAs, definitionOf } from './repeated-effects.ts';

export function reportLiveLists(program: Program, report: Diagnostics['report']): void {
  const live = program.endpoints.flatMap((endpoint) =>
    endpoint.list?.live ? [{ endpoint, span: endpoint.list.live }] : [],
  );
  if (live.length === 0) return;
  const definition = definitionOf(program);
  for (const { endpoint, span } of live) {
    const defined = definedAs(endpoint, program);
    if (!isLive(defined)) {
      report('not-live', span, { because: '`action`' });
      continue;
    }
    const because = obstacleOf(defined, definition);
    const { whole } = liveReads(defined, definition);
    const hasGroups =
      tellsCallersApart(defined, definition) || defined.records.length > 0 || defined.request.inputs.length > 0;
    if (because) report('not-live', span, { because });
    else if (hasGroups && whole.has(defined.model)) report('live-fan-out', span, { model: defined.model });
  }
}

/** Whether callers hardly share values that are read of them. Those with the same role, or all who are signed in, do. */
function tellsCallersApart(endpoint: Parameters<typeof liveReads>[0], definition: Definition): boolean {
  const isShared = ({ kind, many }: Type) => !many && (kind === 'enum' || kind === 'boolean');
  return (
    endpoint.authReads.some((read) => read.kind === 'records' || !isShared(read.value.type)) ||
    requestValuesOf(endpoint, definition).some(({ from }) => from === 'claim')
  );
}

export function reportStaleness(program: Program, report: Diagnostics['report']): void {
  for (const endpoint of program.endpoints) {
    const because = endpoint.stale && needOfPrimary(definedAs(endpoint, program), definitionOf(program));
    if (because && endpoint.stale) report('not-stale', endpoint.stale.span, { because });
  }
}

/** What no change of a row tells of. */
const UNTOLD: ReadonlySet<unknown> = new Set(['now', 'today', 'cryptoToken', 'oneOf']);

function obstacleOf(endpoint: Parameters<typeof liveReads>[0], definition: Definition): string | undefined {
  if (endpoint.response.searchable) return '`searchable`';
  if (endpoint.actions.length > 0) return '`action`';
  const parts = reachedFrom(endpoint, endpoint.model, definition);
  const [found] = nodesIn(parts, (node) => isCode(node) || isUntold(node));
  return found && (isCode(found) ? 'the code of a hook' : `\`${found.function}()\``);
}

function isUntold({ kind, function: name }: Node): boolean {
  return kind === 'call' && UNTOLD.has(name);
}
