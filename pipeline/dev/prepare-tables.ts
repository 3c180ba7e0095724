import type { Definition } from '../../compiler/definition/definition.ts';
import { isEmptyDatabase, refuseMisfits } from '../database/tables.ts';
import { syncDatabase } from './sync.ts';

/**
 * An empty database becomes a development database, which `kiln dev` can go on with; any other must fit as it is. True
 * where the tables were made now.
 */
export async function prepareTables(url: string, definition: Definition): Promise<boolean> {
  const isEmpty = await isEmptyDatabase(url);
  const isNew = isEmpty && (await syncDatabase(url, definition, async () => 'unanswered')).kind === 'created';
  await refuseMisfits(url, definition);
  return isNew;
}
