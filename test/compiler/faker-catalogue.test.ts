import { readFileSync } from 'node:fs';
import { faker } from '@faker-js/faker';
import { expect } from 'chai';
import { type FakerMethod, fakerCatalogue } from '../../compiler/check/faker-catalogue.ts';
import { fakerCatalogueSource } from '../../scripts/faker-catalogue.ts';

const catalogueFile = new URL('../../compiler/check/faker-catalogue.ts', import.meta.url);
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

describe('the faker catalogue', () => {
  it('is what its script writes from the installed faker', () => {
    expect(readFileSync(catalogueFile, 'utf8')).to.equal(fakerCatalogueSource());
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

  it('leaves out what needs an object or a function, what is deprecated and what no field can hold', () => {
    expect(fakerCatalogue.date).not.to.have.property('between');
    expect(fakerCatalogue.helpers).not.to.have.any.keys('maybe', 'multiple', 'objectKey', 'weightedArrayElement');
    expect(fakerCatalogue.image).not.to.have.property('urlLoremFlickr');
    expect(fakerCatalogue.number).not.to.have.property('bigInt');
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
