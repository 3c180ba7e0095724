import { expect } from 'chai';
import { artifactNames, artifactsFor } from '../../compiler/definition/artifacts.ts';
import { readDocument } from '../support/document-parts.ts';

const RELEASE = {
  'definition.json': '{}',
  'migration.json': '{"steps":[]}',
  'migration.sql': '-- nothing',
  'openapi.json': '{"openapi":"3.1.0"}',
  'report.json': '{"application":"blog"}',
  'schema.sql': 'CREATE TABLE post ();',
};

describe('artifacts', () => {
  it('of a release are those that the README of the ledger names', () => {
    const [, files = ''] = /Its files are\s+(.*?);/s.exec(readDocument('pipeline/ledger/README.md')) ?? [];
    const named = [...files.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect(artifactNames('ledger')).to.have.members(named);
  });

  it('go into an image with the releases before, and without what only the ledger needs', () => {
    const contents = { ...RELEASE, 'releases.json': '[]', 'hooks/hooks.mjs': 'export default {};' };
    expect(artifactsFor('image', contents)).to.deep.equal([
      { name: 'definition.json', content: '{}' },
      { name: 'openapi.json', content: '{"openapi":"3.1.0"}' },
      { name: 'schema.sql', content: 'CREATE TABLE post ();' },
      { name: 'releases.json', content: '[]' },
      { name: 'hooks/hooks.mjs', content: 'export default {};' },
    ]);
  });

  it('of a program without hooks have no code of hooks', () => {
    const contents = { ...RELEASE, 'client/client.ts': 'export {};', 'hooks/hooks.mjs': undefined };
    expect(artifactsFor('output', contents).map(({ name }) => name)).to.deep.equal([
      'definition.json',
      'openapi.json',
      'client/client.ts',
      'schema.sql',
    ]);
  });

  it('that are missing do not compile', () => {
    // @ts-expect-error An image has releases.json.
    artifactsFor('image', RELEASE);
    // @ts-expect-error report.json goes to no image.
    const name: ReturnType<typeof artifactNames<'image'>>[number] = 'report.json';
    expect(artifactNames('image')).not.to.include(name);
  });
});
