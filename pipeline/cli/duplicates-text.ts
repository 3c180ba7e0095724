import type { Definition } from '../../compiler/definition/definition.ts';
import type { DuplicatesRefusal } from '../dev/duplicates.ts';
import type { PlaceOf } from '../difference/subject-place.ts';

interface Sources {
  readonly definition: Definition;
  readonly placesAgainst: (other: Definition) => PlaceOf;
}

/** Rows that a new `unique` does not allow: with the line that it is on, and what to do. */
export function duplicatesText({ message, duplicates }: DuplicatesRefusal, sources: Sources | undefined): string {
  const { model, members } = duplicates;
  // Of a key over several fields no single one is to blame.
  const member = members.length === 1 ? members[0] : undefined;
  const place = sources?.placesAgainst(sources.definition)({ kind: 'model', name: model, ...(member && { member }) });
  return [
    message,
    ...(place ? [`  --> ${place.file}:${place.line}:${place.column}`] : []),
    '  To keep the records, change their values, or remove `unique`.',
    '  To start again without them, run `kiln db reset`, or `kiln db reset --populate`.',
  ].join('\n');
}
