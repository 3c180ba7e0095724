/** Objects and the references to them, written together: two processes, however many there are. */
import { moveReferences, type ReferenceMove } from './references.ts';
import type { Repository } from './repository.ts';
import { NewObjects } from './write-objects.ts';

/** Makes objects, and says which reference leads to them. It is called again if that has moved in the meantime. */
export type Draft = (objects: NewObjects) => ReferenceMove;

const ATTEMPTS = 5;

/** All references move, or none: then false, because another process holds one of them, or was faster each time. */
export function writeDrafts(repository: Repository, drafts: readonly Draft[]): boolean {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const objects = new NewObjects(repository);
    const moves = drafts.map((draft) => draft(objects));
    objects.write();
    const { kind } = moveReferences(repository, moves);
    if (kind !== 'elsewhere') return kind === 'moved';
  }
  return false;
}
