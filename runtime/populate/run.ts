/** The blocks of a populator, compiled once, and then all their records in order. */
import type { Definition, Field } from '../../compiler/definition/definition.ts';
import { type Block, originOf, withInner } from './blocks.ts';
import { columnsOf } from './columns.ts';
import type { Ids } from './ids.ts';
import type { Iteration } from './populator-environment.ts';
import { type Rows, rowsOf } from './rows.ts';
import { type RunOptions, type RunTools, toolsOf } from './run-tools.ts';
import type { Sink } from './sink.ts';
import type { StartingState } from './starting-state.ts';
import { isBackward, tableOrder } from './table-order.ts';

export interface Run {
  /** Makes all records, and yields where there is something to wait for. */
  rows(sink: Sink): Iterable<Promise<unknown>>;
  /** The records until now will be there before those that follow. */
  settle(): void;
}

interface CompiledBlock {
  readonly block: Block;
  readonly rows: Rows;
  readonly iteration: Iteration;
  readonly children: readonly CompiledBlock[];
  /** Where it refers to a record whose table is filled after its own. */
  readonly isBackward: boolean;
}

export async function runOf(definition: Definition, blocks: readonly Block[], options: RunOptions): Promise<Run> {
  const { state } = options;
  const models = [...new Set(withInner(blocks).map(({ model }) => model))];
  const ids: Ids[] = [];
  const firsts = new Map<string, number>();
  for (const model of models) {
    ids.push(await state.ids(model));
    firsts.set(model.name, await state.first(model));
  }
  const tools = await toolsOf(definition, blocks, options, firsts);
  const compiled: CompiledBlock[] = [];
  for (const block of blocks) compiled.push(await compiledBlock(block, tools, state, definition));
  return { rows: (sink) => rowsOfBlocks(compiled, sink), settle: () => settleAll(ids) };
}

function settleAll(ids: readonly Ids[]): void {
  for (const one of ids) one.settle();
}

function* rowsOfBlocks(blocks: readonly CompiledBlock[], sink: Sink): Generator<Promise<unknown>> {
  for (const block of blocks) yield* rowsOfBlock(block, sink);
}

function* rowsOfBlock(compiled: CompiledBlock, sink: Sink): Generator<Promise<unknown>> {
  const { block, rows, iteration, children } = compiled;
  const { start } = block.populate.repeat;
  iteration.total = block.count;
  for (let index = 0; index < block.count; index++) {
    iteration.current = start + index;
    if (compiled.isBackward) yield sink.flush();
    if (rows.isAsync) yield (rows.next() as Promise<string>).then((line) => add(sink, block, line));
    else if (sink.add(block, rows.next() as string)) yield sink.turn();
    if (children.length > 0) yield* rowsOfBlocks(children, sink);
  }
}

function add(sink: Sink, block: Block, line: string): Promise<void> | undefined {
  return sink.add(block, line) ? sink.turn() : undefined;
}

async function compiledBlock(
  block: Block,
  tools: RunTools,
  state: StartingState,
  definition: Definition,
): Promise<CompiledBlock> {
  const ids = await state.ids(block.model);
  const columns = await columnsOf(block, ids, tools);
  const rows = rowsOf(block, columns, await tools.uniques.sharedBy(block), ids, tools.scope);
  const children: CompiledBlock[] = [];
  for (const child of block.children) children.push(await compiledBlock(child, tools, state, definition));
  const { name } = block.populate.repeat;
  const iteration = name === null ? { current: 0, total: 0 } : tools.iteration(name);
  return { block, rows, iteration, children, isBackward: refersBackward(block, definition) };
}

/** To a record that the program names; those that are picked are picked among the settled ones. */
function refersBackward(block: Block, definition: Definition): boolean {
  const order = tableOrder(definition);
  return block.model.references.some(({ field, to }) => {
    const origin = originOf(block, block.model.fields.find(({ name }) => name === field) as Field);
    const isNamed = origin.kind === 'parent' || (origin.kind === 'set' && origin.value.kind !== 'literal');
    return isNamed && isBackward(order, block.model.name, to);
  });
}
