import type { Definition } from '../../compiler/definition/definition.ts';
import { withClient } from '../database/connect.ts';

/** How many records there are, by model. */
export function countRows(url: string, { models }: Definition): Promise<ReadonlyMap<string, number>> {
  return withClient(url, async (client) => {
    const counts = new Map<string, number>();
    for (const { name, table } of models) {
      const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${client.escapeIdentifier(table)}`);
      counts.set(name, Number(rows[0]?.count));
    }
    return counts;
  });
}

export async function hasRows(url: string, definition: Definition): Promise<boolean> {
  return [...(await countRows(url, definition)).values()].some((count) => count > 0);
}
