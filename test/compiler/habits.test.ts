import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ADVICE, REPLACEMENTS } from '../../compiler/syntax/habit-texts.ts';

interface Tables {
  readonly parts: Readonly<Record<string, string>>;
  readonly habits: readonly { readonly insteadBy?: string; readonly helpBy?: string }[];
}

const text = readFileSync(new URL('../../compiler/syntax/habits.json', import.meta.url), 'utf8');
const tables: Tables = JSON.parse(text);

describe('the table of what other languages write', () => {
  it('names each function of its texts, and no other', () => {
    const named = (key: 'insteadBy' | 'helpBy') => new Set(tables.habits.flatMap((row) => row[key] ?? []));
    expect([...named('insteadBy')]).to.have.members(Object.keys(REPLACEMENTS));
    expect([...named('helpBy')]).to.have.members(Object.keys(ADVICE));
  });

  it('uses only parts that are there', () => {
    const parts = new Set([...text.matchAll(/<<(\w+)>>/g)].map(([, name]) => name));
    expect([...Object.keys(tables.parts), 'ENDPOINT', 'VALIDATOR']).to.include.members([...parts]);
  });
});
