/** The clients that sources ask for with `generator client`, kept as the sources are. */
import { join, relative } from 'node:path';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { ClientText } from '../../compiler/emit/client/client-from-definition.ts';
import { writeClients } from '../clients/write-clients.ts';
import { complain, print } from './terminal.ts';

/** False where one could not be written, which has been said then. `known` is the client, where it has been made already. */
export async function writeGenerated(folder: string, definition: Definition, known?: ClientText): Promise<boolean> {
  const { written, refusals } = await writeClients(folder, definition, known);
  // Named as they can be opened from where the command runs.
  for (const path of written) print(`Wrote ${relative(process.cwd(), join(folder, path))}`);
  for (const refusal of refusals) complain(refusal);
  return refusals.length === 0;
}
