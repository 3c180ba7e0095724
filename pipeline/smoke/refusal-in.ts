/** The event of `migrate --json` that the test of a push reads. */
interface RefusedEvent {
  readonly kind: 'refused';
  /** `failed` where Postgres, or a step itself, has stopped a release. */
  readonly reason: string;
  readonly message: string;
  readonly details: readonly string[];
  /** The statement that Postgres refused. */
  readonly failure: { readonly step: number; readonly phase?: string; readonly sqlState: string } | null;
}

/** A line that is no event is a message of Node, which ends the process. */
export function refusalIn(lines: readonly string[]): RefusedEvent | undefined {
  const events = lines.filter((line) => line.startsWith('{"time"')).map((line) => JSON.parse(line) as { kind: string });
  return events.find((event): event is RefusedEvent => event.kind === 'refused');
}
