/** The rules by which documents are run, so that a wrong document is not taken for a right one. */
import { expect } from 'chai';
import { sessionBlocks, unrunCommands } from './session-blocks.ts';
import { changed } from './session-change.ts';
import { beginsWith, shows } from './session-match.ts';
import { namesOf } from './session-names.ts';

describe('a screen', () => {
  for (const [shown, screen] of [
    ['Ready after 12 ms', 'Ready after 4.5 s'],
    ['remote: layer   5 ms  36 KB', 'remote: layer    12 ms  1 KB   '],
    ['main a3df43e275c8', 'main 0123456789ab'],
    ['at 2026-11-15 06:48:54', 'at 2027-01-01 00:00:00'],
    ['{"id":1,\n  "tags": ["a"]}', '{"id":1,"tags":["a"]}'],
    ['{"requestId":"a.1"}', '{"requestId":"b.2"}'],
    ['first\n…\nlast', 'first\none\ntwo\nlast'],
    ['first\n…', 'first'],
    ['…\nlast', 'last'],
    ['…', 'one\ntwo'],
    ['Wrote … files', 'Wrote 17 files'],
  ] as const) {
    it(`shows ${JSON.stringify(shown)} with ${JSON.stringify(screen)}`, () => {
      expect(shows(shown.split('\n'), screen.split('\n'))).to.equal(true);
    });
  }

  for (const [shown, screen] of [
    ['Ready', 'Ready after 12 ms'],
    ['2 models', '3 models'],
    ['main a3df43e275c8', 'main a3df43e'],
    ['{"id":1}', '{"id":2}'],
    ['first\n…\nlast', 'first\none'],
    ['one\ntwo', 'one'],
    ['', 'error: something'],
  ] as const) {
    it(`does not show ${JSON.stringify(shown)} with ${JSON.stringify(screen)}`, () => {
      expect(shows(shown.split('\n'), screen.split('\n'))).to.equal(false);
    });
  }

  it('of a running command may go on after what is shown', () => {
    expect(beginsWith(['one'], ['one', 'two'])).to.equal(true);
    expect(beginsWith(['two'], ['one', 'two'])).to.equal(false);
  });
});

describe('a document', () => {
  const text = [
    '```console',
    '$ one',
    'its output',
    '',
    "$ two '",
    "> three'",
    '^C',
    '```',
    '<!-- not run: it needs the moon -->',
    '```sh',
    'launch',
    '```',
    '```kiln a.kiln',
    'model A {}',
    '```',
  ].join('\n');

  it('has commands with their output, and files', () => {
    const [commands, file] = sessionBlocks('a.md', text);
    expect(commands).to.deep.include({ kind: 'console', line: 1, isBackground: false, needsDocker: false });
    expect(commands?.kind === 'console' && commands.steps).to.deep.equal([
      { command: 'one', shown: ['its output'], line: 3 },
      { command: "two '\nthree'", shown: [], line: 7 },
      { command: '^C', shown: [], line: 8 },
    ]);
    expect(file).to.deep.include({ kind: 'file', path: 'a.kiln', text: 'model A {}\n' });
  });

  it('is told of commands that nobody runs', () => {
    expect(unrunCommands(text)).to.deep.equal([]);
    expect(unrunCommands(text.replace('<!-- not run', '<!-- not'))).to.deep.equal([10]);
    expect(unrunCommands('```\n$ one\n```')).to.deep.equal([1]);
  });

  it('changes a file at places that are there once', () => {
    expect(changed('a\nb\nc\n', ' a\n-b\n+x\n+y\n')).to.equal('a\nx\ny\nc\n');
    expect(changed('a\nb\nc\n', '+0\n a\n…\n c\n+d\n')).to.equal('0\na\nb\nc\nd\n');
    expect(() => changed('a\na\n', '-a\n+b\n')).to.throw('2 places');
    expect(() => changed('a\n', '-x\n+b\n')).to.throw('0 places');
  });

  it('has names of its own for what has others here', () => {
    const images = { 'postgres:18': 'pg-test' };
    const folders = { '/home/ada': '/tmp/x/home' };
    const names = namesOf({ folders, port: 4711, nextPort: 4712, images, applications: ['tasks'], run: '9' });
    const told =
      'docker run -p 3000:3000 --name tasks-db postgres:18 && cd /home/ada/tasks && curl localhost:3000/api/tasks';
    const here =
      'docker run -p 4711:3000 --name tasks-9-db pg-test && cd /tmp/x/home/tasks-9 && curl localhost:4711/api/tasks';
    expect(names.here(told)).to.equal(here);
    expect(names.told(here)).to.equal(told);
    expect(names.here('npm ci && npm start')).to.equal('npm start');
  });
});
