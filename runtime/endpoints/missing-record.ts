import type { Endpoint } from '../../compiler/definition/endpoint.ts';

/** What is said where a record of the path is not there. */
export function missingRecord({ records }: Endpoint): string {
  const models = records.map(({ model }) => model);
  return models.length === 1 ? `There is no such ${models[0]}.` : `There is no such ${models.at(-1)} at this path.`;
}
