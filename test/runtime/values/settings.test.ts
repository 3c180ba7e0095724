import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { madeUpSettings } from '../../../pipeline/smoke/made-up-settings.ts';
import { settingsFromEnvironment } from '../../../runtime/values/settings.ts';
import { definitionOf } from '../../compiler/openapi/documents.ts';

const SOURCE = `enum Size { small, large }
setting TEXT {}
setting COUNT { type integer, default 3 }
setting RATE { type decimal(6, 2) }
setting PART { type decimal(2, 2) }
setting RATIO { type float }
setting OPEN { type boolean }
setting DAY { type date }
setting MOMENT { type timestamp }
setting OWNER { type uuid }
setting SIZE { type Size }
setting KEY { type integer, secret }
model Note { field title { type string } }
`;

const RIGHT = {
  TEXT: ' a text ',
  RATE: '1.5',
  PART: '0.25',
  RATIO: '1e3',
  OPEN: 'true',
  DAY: '2026-03-29',
  MOMENT: '2026-03-29T12:30:00+02:00',
  OWNER: '0195E0A4-7C00-7ABC-8DEF-0123456789AB',
  SIZE: 'large',
  KEY: '7',
};

describe('settings', () => {
  before(() => loadGrammar());

  const read = (environment: Readonly<Record<string, string>>) =>
    settingsFromEnvironment(definitionOf([{ path: 'main.kiln', text: SOURCE }]), environment);

  it('are values of their types', () => {
    expect(read(RIGHT)).to.deep.equal({
      settings: {
        TEXT: 'a text',
        COUNT: 3,
        RATE: '1.50',
        PART: '0.25',
        RATIO: 1000,
        OPEN: true,
        DAY: '2026-03-29',
        MOMENT: '2026-03-29T10:30:00Z',
        OWNER: '0195e0a4-7c00-7abc-8def-0123456789ab',
        SIZE: 'large',
      },
      problems: [],
    });
  });

  it('that are secret are there by name, and not among the others', () => {
    const { settings } = read(RIGHT);
    expect(settings.KEY).to.equal(7);
    expect(Object.keys(settings)).to.not.include('KEY');
  });

  it('name all that are missing or wrong, and no secret', () => {
    const { TEXT: _, ...others } = RIGHT;
    const { problems } = read({ ...others, DAY: ' ', COUNT: 'many', SIZE: 'huge', KEY: 'hush-hush', OPEN: 'yes' });
    expect(problems).to.deep.equal([
      'COUNT must be an integer, but it is `many`.',
      'DAY is not set: it is a setting of the application (date).',
      'KEY must be an integer.',
      'OPEN must be true or false, but it is `yes`.',
      'SIZE must be one of small, large, but it is `huge`.',
      'TEXT is not set: it is a setting of the application (string).',
    ]);
  });

  it('are none where a definition of an older release has none', () => {
    expect(settingsFromEnvironment({ enums: [] }, { TEXT: 'a' })).to.deep.equal({ settings: {}, problems: [] });
  });

  it('are made up for the test of an image, where they have no default', () => {
    const made = madeUpSettings(definitionOf([{ path: 'main.kiln', text: SOURCE }]));
    expect(made).to.not.have.property('COUNT');
    expect(read(made).problems).to.deep.equal([]);
  });
});
