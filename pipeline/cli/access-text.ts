/** The matrix of access rules as a table. */
import { visible } from '../../compiler/diagnostics/source-line.ts';
import { plural } from '../../compiler/diagnostics/words/plural.ts';
import type { AccessRow } from '../../compiler/difference/access-matrix.ts';
import type { PlacedRow } from '../difference/placed-matrix.ts';

const TITLES = ['endpoint', 'anonymous', 'signed in', 'place', 'rule'];

/** The rule may be long, so it is the last. */
export function accessText(rows: readonly PlacedRow[]): string {
  if (rows.length === 0) return 'There are no endpoints';
  const table = [TITLES, ...rows.map(cells)];
  const widths = TITLES.map((_, column) => Math.max(...table.map((cell) => cell[column]?.length ?? 0)));
  const lines = table.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] as number))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, '', summary(rows)].join('\n');
}

function cells({ endpoint, anonymous, signedIn, access, place }: PlacedRow): readonly string[] {
  const at = place ? `${place.file}:${place.line}` : '';
  return [endpoint, anonymous, signedIn, at, ruleText(access)].map(visible);
}

function ruleText({ says, shows }: AccessRow['access']): string {
  return shows === undefined ? says : `${says}; records: ${shows}`;
}

function summary(rows: readonly PlacedRow[]): string {
  const ofAccounts = rows.filter(({ place }) => place === null).length;
  // A push counts the endpoints of the sources alone.
  const origins = ofAccounts === 0 ? '' : ` (${rows.length - ofAccounts} of the sources, ${ofAccounts} of accounts)`;
  const count = (who: AccessRow['access']['who']) => rows.filter(({ access }) => access.who === who).length;
  const parts = [
    `${count('anyone')} for anyone`,
    `${count('signed in')} for everybody who is signed in`,
    `${count('condition')} under a condition`,
  ];
  return `${plural(rows.length, 'endpoint')}${origins}: ${parts.join(', ')}`;
}
