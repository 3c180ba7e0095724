import { faker } from '@faker-js/faker';
import { expect } from 'chai';
import { type FakerMethod, fakerCatalogue } from '../../compiler/check/faker-catalogue.ts';

const callsOfEach = 20;

const fits: Record<FakerMethod['returns'], (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  float: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  timestamp: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  date: (value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value),
  uuid: (value) => typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  json: (value) => typeof value === 'object' && value !== null,
  any: (value) => value !== undefined,
};

function isPromised(method: FakerMethod, value: unknown): boolean {
  if (value === undefined) return method.nullable === true;
  if (method.list) return Array.isArray(value) && value.every(fits[method.returns]);
  return fits[method.returns](value);
}

function callFaker(module: string, name: string): unknown {
  const modules = faker as unknown as Record<string, Record<string, () => unknown>>;
  return modules[module]?.[name]?.();
}

/** What needs an object or a function, what is deprecated and what no field can hold. */
const LEFT_OUT = [
  ...['date.between', 'date.betweens', 'number.bigInt', 'image.urlLoremFlickr'],
  ...['enumValue', 'maybe', 'multiple', 'mustache', 'objectEntry', 'objectKey', 'objectValue', 'rangeToNumber'].map(
    (name) => `helpers.${name}`,
  ),
  'helpers.weightedArrayElement',
];

describe('the faker catalogue', () => {
  it('has each method of the installed faker that a populator can call', () => {
    const { fakerCore: _, ...modules } = faker as unknown as Record<string, Record<string, unknown>>;
    const methods = Object.entries(modules).flatMap(([module, members]) =>
      Object.keys(members).flatMap((name) => (typeof members[name] === 'function' ? [`${module}.${name}`] : [])),
    );
    const known = Object.entries(fakerCatalogue).flatMap(([module, names]) =>
      Object.keys(names).map((name) => `${module}.${name}`),
    );
    expect([...known, ...LEFT_OUT].sort()).to.deep.equal(methods.sort());
  });

  it('knows what a populator asks for most', () => {
    expect(fakerCatalogue.person?.fullName).to.deep.equal({ returns: 'string', required: 0, most: 0 });
    expect(fakerCatalogue.number?.int).to.include({ returns: 'integer', required: 0, most: 1 });
    expect(fakerCatalogue.number?.float).to.include({ returns: 'float', required: 0, most: 1 });
    expect(fakerCatalogue.string?.uuid).to.include({ returns: 'uuid' });
    expect(fakerCatalogue.date?.past).to.include({ returns: 'timestamp' });
    expect(fakerCatalogue.helpers?.arrayElement).to.include({ returns: 'any', required: 1, most: 1 });
    expect(fakerCatalogue.color?.hsl).to.include({ returns: 'float', list: true });
  });

  for (const [module, methods] of Object.entries(fakerCatalogue)) {
    it(`says what the methods of ${module} return`, () => {
      faker.seed(7);
      for (const [name, method] of Object.entries(methods).filter(([, { required }]) => required === 0)) {
        for (let call = 0; call < callsOfEach; call += 1) {
          const value = callFaker(module, name);
          expect(isPromised(method, value), `faker.${module}.${name}() gave ${String(value)}`).to.equal(true);
        }
      }
    });
  }
});
