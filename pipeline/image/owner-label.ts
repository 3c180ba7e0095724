/** A build labels its containers and networks with its repository. The next build of that repository removes what a killed one has left. */
const LABEL = 'kiln.pipeline';

/** Instead of that label, with the owner too: on the container of a Postgres that stays for the next build. */
export const KEPT_LABEL = 'kiln.postgres';

export function ownerLabel(owner: string): Readonly<Record<string, string>> {
  return { [LABEL]: owner };
}

/** Finds what has the label. */
export function ownerFilter(owner: string): { label: string[] } {
  return { label: [`${LABEL}=${owner}`] };
}
