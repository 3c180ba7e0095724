/** Whether a database that is ahead of an image belongs to another application, or to another branch of it. */
import type { Connection, Statement } from './database.ts';
import { type ImageRelease, shortRevision } from './image-release.ts';

const RECORDED: Statement = {
  name: 'kiln_recorded_release',
  text: 'SELECT revision FROM kiln_releases WHERE position = $1',
  isRepeatable: true,
};

/** A sentence that says so; null where the release of the image is recorded there. */
export async function otherHistory(
  connection: Connection,
  { position, revision }: ImageRelease,
): Promise<string | null> {
  const [row] = (await connection.run(RECORDED, [String(position)])).rows;
  const recorded = row?.[0] ?? null;
  if (recorded === null || recorded === revision) return null;
  return `Release ${position} of the database is ${shortRevision(recorded)}, but that of this image is ${shortRevision(revision)}: the database belongs to another application or branch. Check DATABASE_URL.`;
}
