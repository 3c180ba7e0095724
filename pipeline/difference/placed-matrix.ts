import { pathTemplate } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { type AccessRow, accessMatrix } from '../../compiler/difference/access-matrix.ts';
import { pathOf } from '../../compiler/program/endpoint-path.ts';
import type { Program } from '../../compiler/program/program.ts';
import type { SourceMap } from '../../compiler/source/line-index.ts';
import type { Place } from './placed-difference.ts';

export interface PlacedRow extends AccessRow {
  /** Null for the endpoints of accounts, which are written nowhere. */
  readonly place: Place | null;
}

/** Who may call each endpoint, and where that is in the sources. */
export function placedMatrix(definition: Definition, { endpoints }: Program, sources: SourceMap): readonly PlacedRow[] {
  // A route is of one endpoint only.
  const spans = new Map(endpoints.map((each) => [`${each.method} ${pathTemplate(pathOf(each))}`, each.span]));
  const placeOf = (route: string): Place | null => {
    const span = spans.get(route);
    if (!span) return null;
    return { file: sources.name(span.file), ...sources.lines(span.file).positionAt(span.start) };
  };
  return accessMatrix(definition).map((row) => ({ ...row, place: placeOf(row.endpoint) }));
}
