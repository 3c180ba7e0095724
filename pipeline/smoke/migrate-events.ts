/** What `migrate --json` tells, as far as the test of a push reads it. */
import type { CertifiedStatement } from '../../compiler/definition/certificate.ts';

interface RefusedEvent {
  readonly kind: 'refused';
  /** `failed` where Postgres, or a step itself, has stopped a release. */
  readonly reason: string;
  readonly message: string;
  readonly details: readonly string[];
  /** The statement that Postgres refused. */
  readonly failure: { readonly step: number; readonly phase?: string; readonly sqlState: string } | null;
}

type MigrateEvent = RefusedEvent | ({ readonly kind: 'certified' } & CertifiedStatement);

export function refusalIn(lines: readonly string[]): RefusedEvent | undefined {
  return eventsIn(lines).find((event) => event.kind === 'refused');
}

export function certificateIn(lines: readonly string[]): readonly CertifiedStatement[] {
  return eventsIn(lines).flatMap((event) => (event.kind === 'certified' ? [event] : []));
}

/** A line that is no event is a message of Node, which ends the process. */
function eventsIn(lines: readonly string[]): readonly MigrateEvent[] {
  return lines.filter((line) => line.startsWith('{"time"')).map((line) => JSON.parse(line) as MigrateEvent);
}
