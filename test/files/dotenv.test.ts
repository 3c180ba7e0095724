import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { dotenvFrom, readDotenv } from '../../files/dotenv.ts';
import { projectFolder } from '../pipeline/project-folder.ts';

describe('.env', () => {
  const lines: readonly (readonly [title: string, line: string, value: string])[] = [
    ['a value', 'A=one', 'one'],
    ['white space', '  A = one two  ', 'one two'],
    ['a comment behind it', 'A=one # not two', 'one'],
    ['a # inside it', 'A=one#two', 'one#two'],
    ['nothing', 'A=', ''],
    ['nothing but a comment', 'A= # later', ''],
    ['an export', 'export A=one', 'one'],
    ['single quotes', "A='o\\n # e' # two", 'o\\n # e'],
    ['double quotes', 'A="o\\n\\"e\\" # $x"', 'o\n"e" # $x'],
    ['an address', 'A=postgres://a:b@c:1/d?e=f', 'postgres://a:b@c:1/d?e=f'],
    ['lines of Windows', 'A=one\r', 'one'],
  ];
  for (const [title, line, value] of lines)
    it(`has ${title}`, () => {
      expect(dotenvFrom(`# first\n\n${line}\n`)).to.deep.equal({
        values: { A: value },
        places: { A: '.env:3' },
        problems: [],
      });
    });

  it('takes the last of several lines', () => {
    expect(dotenvFrom('A=one\nA=two')).to.deep.include({ values: { A: 'two' }, places: { A: '.env:2' } });
  });

  it('says which lines are wrong, without what may be a secret', () => {
    const { values, problems } = dotenvFrom('A=one\nhush\nB="hush\n1C=hush\nD=#hush');
    expect(values).to.deep.equal({ A: 'one' });
    expect(problems.map((problem) => problem.split(' ')[0])).to.deep.equal(['.env:2', '.env:3', '.env:4', '.env:5']);
    expect(problems.join()).to.not.include('hush');
    const broken = problems.filter((problem) => problem.includes('write `\\n` between double quotes'));
    expect(broken).to.deep.equal([problems[1]]);
  });

  it('may be missing, and says why it cannot be read', () => {
    const folder = projectFolder({});
    expect(readDotenv(folder)).to.deep.equal({ values: {}, places: {}, problems: [] });
    mkdirSync(join(folder, '.env'));
    expect(readDotenv(folder).problems).to.deep.equal(['`.env` cannot be read: it is a folder']);
  });
});
