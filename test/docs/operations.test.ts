import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { PROBLEMS } from '../../compiler/definition/contract/problems.ts';
import { EXIT, EXIT_MEANINGS } from '../../pipeline/cli/terminal.ts';
import { VARIABLES, type Variable } from '../../runtime/config/variables.ts';
import { createMetrics } from '../../runtime/observe/metrics.ts';
import { POOLER_ENVIRONMENT, POOLER_SETTINGS } from '../support/pooler.ts';

const read = (file: string) => readFileSync(resolve(import.meta.dirname, '../../docs', file), 'utf8');

describe('docs/operations.md', () => {
  const text = read('operations.md');

  it('has every variable of the environment, its default and its meaning', () => {
    const rows = Object.entries<Variable<unknown>>(VARIABLES).map(
      ([name, { default: value, meaning }]) =>
        `| \`${name}\` | ${value === undefined ? '' : `\`${value}\``} | ${meaning} |`,
    );
    const table = text.split('\n').filter((line) => /^\| `[A-Z_]+` /.test(line));
    expect(table).to.deep.equal(rows);
  });

  it('has every metric that is not of the process', async () => {
    const metrics = createMetrics();
    metrics.watchConnections(() => ({ open: 0, idle: 0, waiting: 0 }));
    metrics.watchLive(() => ({ streams: 0, groups: 0, changes: 0, age: 0 }));
    metrics.watchReplicas({ reads: { replica: 0, primary: 0 }, lags: () => [] });
    metrics.jobs().watch(async () => null);
    const names = [...(await metrics.text()).matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name as string);
    const own = names.filter((name) => !/^(process|nodejs)_/.test(name));
    expect(own).to.have.length.greaterThan(1);
    expect(own.filter((name) => !text.includes(`| \`${name}\` |`))).to.deep.equal([]);
  });

  it('has the settings of the pooler that the tests are run with', () => {
    for (const [name, value] of Object.entries(POOLER_SETTINGS)) expect(text).to.include(`${name} = ${value}\n`);
    for (const [name, value] of Object.entries(POOLER_ENVIRONMENT)) expect(text).to.include(`${name}=${value}\n`);
  });
});

describe('docs/operations.md, on the command line', () => {
  it('has every exit code, and what it means', () => {
    const rows = Object.entries(EXIT_MEANINGS).map(
      ([name, meaning]) => `| ${EXIT[name as keyof typeof EXIT]} | ${meaning} |`,
    );
    const table = read('operations.md')
      .split('\n')
      .filter((line) => /^\| \d+ \| /.test(line));
    expect(table).to.deep.equal(rows);
  });
});

describe('docs/api.md', () => {
  it('has every code of a problem, with its status', () => {
    const text = read('api.md');
    const missing = Object.entries(PROBLEMS).filter(
      ([code, { status }]) => !text.includes(`| ${status} | \`${code}\` |`),
    );
    expect(missing).to.deep.equal([]);
  });
});
