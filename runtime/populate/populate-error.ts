/** Why a populator stopped, told with the words of the program: which block, which record of it, which field. */

interface Location {
  /** The path of the block: `Author > posts`. */
  readonly block: string;
  readonly model: string;
  /** Counted from 1 over the whole run; null where only Postgres saw it. */
  readonly record: number | null;
  /** Null where it is not known. */
  readonly field: string | null;
}

export class PopulateError extends Error {
  override readonly name = 'PopulateError';
  readonly place: Location | null;

  constructor(reason: string, place: Location | null = null, cause?: unknown) {
    super(place ? `${placeText(place)}: ${reason}` : reason, cause === undefined ? {} : { cause });
    this.place = place;
  }
}

function placeText({ block, model, record, field }: Location): string {
  const what = field === null ? model : `${model}.${field}`;
  return record === null ? `${what} in populate ${block}` : `${what} of record ${record} in populate ${block}`;
}
