/** `kiln check --plans`: which endpoints and jobs lack an index. */
import type { Compilation } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import type { Subject } from '../../compiler/difference/difference.ts';
import type { ReadSources } from '../../files/read-sources.ts';
import { type IndexFinding, indexFindings } from '../../runtime/query/index-advice.ts';
import type { Place } from '../difference/placed-difference.ts';
import { placesIn } from '../difference/subject-place.ts';
import { sourceMapOf } from './project.ts';
import { print, tellPainted, warningMark } from './terminal.ts';

export interface PlacedPlans {
  /** How many endpoints were checked. */
  readonly endpoints: number;
  readonly findings: readonly (IndexFinding & { readonly place: Place | null })[];
}

/** Plans the endpoints of sources without errors. */
export function plansOf(read: ReadSources, compilation: Compilation): PlacedPlans {
  const [definition, program] = [compilation.definition as Definition, compilation.program];
  const placeOf = placesIn(program as NonNullable<typeof program>, sourceMapOf(read), definition);
  const findings = indexFindings(definition).map((finding) => ({ ...finding, place: placeOf(subjectOf(finding)) }));
  return { endpoints: definition.endpoints.length, findings };
}

function subjectOf({ sender, endpoint: id }: IndexFinding): Subject {
  const [, job] = /^job (.*)/s.exec(sender) ?? [];
  return job === undefined ? { kind: 'endpoint', id } : { kind: 'job', name: job };
}

export function reportPlans({ findings, endpoints }: PlacedPlans): void {
  for (const { sender, says, advice, place } of findings) {
    const where = place ? `  --> ${place.file}:${place.line}:${place.column}\n` : '';
    tellPainted(`${warningMark()} \`${sender}\` ${says}\n${where}  ${advice}\n`);
  }
  const verdict = findings.length === 0 ? 'no index is missing' : plural(findings.length, 'warning');
  print(`Checked the plans of ${plural(endpoints, 'endpoint')}: ${verdict}`);
}
