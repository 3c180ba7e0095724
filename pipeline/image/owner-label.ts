/** A build labels its containers and networks with its repository. The next build of that repository removes what a killed one has left. */
const LABEL = 'kiln.pipeline';

export function ownerLabel(owner: string): Readonly<Record<string, string>> {
  return { [LABEL]: owner };
}

/** Finds what has the label. */
export function ownerFilter(owner: string): { label: string[] } {
  return { label: [`${LABEL}=${owner}`] };
}
