/** Removes what a test has left, as if its room had been closed. Only who has the turn of the owner may do it. */
import type Docker from 'dockerode';
import { cleanKept } from './postgres-server.ts';
import { removeLeftOver } from './room.ts';

export async function tidyUp(docker: Docker, owner: string): Promise<void> {
  // While Postgres is still reached. What is not dropped now is dropped by the next test.
  await Promise.allSettled([cleanKept(docker, owner)]);
  await removeLeftOver(docker, owner);
}
