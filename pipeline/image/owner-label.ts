/** Of what is made in an engine for the builds of a repository: what a build that was killed leaves, the next one finds by it. */
const LABEL = 'kiln.pipeline';

export function ownerLabel(owner: string): Readonly<Record<string, string>> {
  return { [LABEL]: owner };
}

/** Finds what has the label. */
export function ownerFilter(owner: string): { label: string[] } {
  return { label: [`${LABEL}=${owner}`] };
}
