/** Faker, loaded only when a populator runs. Each run has one of its own, so that two of them do not disturb each other. */
import type { Faker } from '@faker-js/faker';
import { REFERENCE_TIME } from './reference-moment.ts';

type Options = ConstructorParameters<typeof Faker>[0];

export async function seededFaker(seed: number): Promise<Faker> {
  // The locale alone loads in a tenth of the time of all of them.
  const { faker } = await import('@faker-js/faker/locale/en');
  const Own = faker.constructor as new (options: Options) => Faker;
  const own = new Own({ locale: faker.rawDefinitions, seed });
  own.setDefaultRefDate(new Date(REFERENCE_TIME));
  return own;
}
