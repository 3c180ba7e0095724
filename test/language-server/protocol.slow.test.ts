import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { CancellationTokenSource, type DocumentSymbol, LSPErrorCodes, type TextEdit } from 'vscode-languageserver/node';
import { Editor } from './editor.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../examples/shop');

describe('language server: protocol', () => {
  const editors: Editor[] = [];
  const newEditor = (): Editor => {
    const editor = new Editor();
    editors.push(editor);
    return editor;
  };

  after(async () => {
    for (const editor of editors) await editor.stop();
  });

  it('says who it is, and ends with 0 after a shutdown', async () => {
    const editor = newEditor();
    const { serverInfo, capabilities } = await editor.start();
    expect(serverInfo?.name).to.equal('kiln');
    expect(capabilities.renameProvider).to.deep.equal({ prepareProvider: true });
    expect(await editor.stop()).to.equal(0);
  });

  it('ends with 1 on an exit without a shutdown', async () => {
    const editor = newEditor();
    await editor.start();
    const ended = once(editor.process, 'exit');
    await editor.connection.sendNotification('exit');
    expect((await ended)[0]).to.equal(1);
  });

  it('ends when the editor is gone', async () => {
    const editor = newEditor();
    await editor.start();
    const ended = once(editor.process, 'exit');
    editor.process.stdin?.end();
    expect((await ended)[0]).to.equal(1);
  });

  it('refuses a question after it was cancelled, and answers the next one', async () => {
    const editor = newEditor();
    await editor.start({ 'a.kiln': 'model A {}\n' });
    const cursor = await editor.open('a.kiln', 'model |A { field x { type string } }\n');
    const source = new CancellationTokenSource();
    const params = {
      textDocument: { uri: editor.uri('a.kiln') },
      position: cursor.position,
      context: { includeDeclaration: true },
    };
    // It reads both at once: an answer that was sent before is no mistake.
    editor.process.kill('SIGSTOP');
    const asked = editor.connection.sendRequest('textDocument/references', params, source.token);
    source.cancel();
    await editor.connection.sendNotification('$/setTrace', { value: 'off' });
    editor.process.kill('SIGCONT');
    const code = await asked.then(
      () => undefined,
      (error: { code: number }) => error.code,
    );
    expect(code).to.equal(LSPErrorCodes.RequestCancelled);
    const found = await editor.ask<unknown[]>('references', cursor, { context: { includeDeclaration: true } });
    expect(found).to.have.length(1);
  });

  it('answers about documents that it does not know', async () => {
    const editor = newEditor();
    await editor.start();
    const cursor = { path: 'nowhere.kiln', position: { line: 3, character: 7 } };
    expect(await editor.ask('hover', cursor)).to.equal(null);
    expect(await editor.ask('completion', cursor)).to.deep.equal([]);
    expect(await editor.askFile('documentSymbol', 'nowhere.kiln')).to.deep.equal([]);
  });

  it('keeps the projects of several folders apart, and those within a folder', async () => {
    const editor = newEditor();
    mkdirSync(join(editor.folder, 'inner/.kiln'), { recursive: true });
    const other = mkdtempSync(join(tmpdir(), 'kiln-lsp-other-'));
    writeFileSync(join(other, 'a.kiln'), 'model Same { field x { type strin } }\n');
    await editor.start(
      {
        'a.kiln': 'model Same { field x { type integr } }\n',
        'inner/a.kiln': 'model Same { field x { type boolea } }\n',
        'named/a.kiln': 'model Same { field x { type dat } }\n',
        'node_modules/x/a.kiln': 'model Same {}\n',
      },
      {
        workspaceFolders: [editor.folder, other].map((folder) => ({ uri: pathToFileURL(folder).href, name: folder })),
        initializationOptions: { projects: ['named'] },
      },
    );
    for (const path of ['a.kiln', 'inner/a.kiln', 'named/a.kiln', pathToFileURL(join(other, 'a.kiln')).href]) {
      const found = await editor.diagnostics(path, (all) => all.length > 0);
      expect(found.map(({ code }) => code)).to.deep.equal(['unknown-type']);
    }
    rmSync(other, { recursive: true });
  });

  it('follows folders that come and go', async () => {
    const editor = newEditor();
    const other = mkdtempSync(join(tmpdir(), 'kiln-lsp-other-'));
    writeFileSync(join(other, 'b.kiln'), 'model B { field x { type strin } }\n');
    await editor.start();
    const folder = { uri: pathToFileURL(other).href, name: 'other' };
    const change = (event: object) =>
      editor.connection.sendNotification('workspace/didChangeWorkspaceFolders', { event });
    const uri = pathToFileURL(join(other, 'b.kiln')).href;
    await change({ added: [folder], removed: [] });
    await editor.diagnostics(uri, (all) => all.length === 1);
    await change({ added: [], removed: [folder] });
    await editor.diagnostics(uri, (all) => all.length === 0);
    rmSync(other, { recursive: true });
  });

  it('goes on with what is open when its folder is no longer one of the workspace', async () => {
    const editor = newEditor();
    await editor.start();
    await editor.open('a.kiln', 'model A { field x { type strin } }\n');
    const folder = { uri: pathToFileURL(editor.folder).href, name: 'test' };
    const event = { added: [], removed: [folder] };
    await editor.connection.sendNotification('workspace/didChangeWorkspaceFolders', { event });
    await editor.edit('a.kiln', 0, 0, '\n\n');
    const found = await editor.diagnostics('a.kiln', (all) => all[0]?.range.start.line === 2);
    expect(found.map(({ code }) => code)).to.deep.equal(['unknown-type']);
  });

  it('forgets what is outside of all folders when it is closed', async () => {
    const editor = newEditor();
    const other = mkdtempSync(join(tmpdir(), 'kiln-lsp-other-'));
    writeFileSync(join(other, 'a.kiln'), 'model Elsewhere { field x { type strin } }\n');
    await editor.start({ 'here.kiln': 'model Here { field x { type string } }\n' });
    const names = async () => {
      const found = await editor.connection.sendRequest<{ name: string }[]>('workspace/symbol', { query: 'ere' });
      return found.map(({ name }) => name);
    };
    const uris = ['a.kiln', 'b.kiln'].map((name) => pathToFileURL(join(other, name)).href) as [string, string];
    await editor.open(uris[0], 'model Elsewhere { field x { type strin } }\n');
    await editor.open(uris[1], 'model There { field x { type strin } }\n');
    for (const uri of uris) await editor.diagnostics(uri, (all) => all.length > 0);
    await editor.close(uris[0]);
    expect(await names()).to.have.members(['Here', 'Elsewhere', 'There']);
    await editor.close(uris[1]);
    for (const uri of uris) await editor.diagnostics(uri, (all) => all.length === 0);
    expect(await names()).to.deep.equal(['Here']);
    rmSync(other, { recursive: true });
  });

  it('looks at the disk when a file is saved, for an editor that does not watch it', async () => {
    const editor = newEditor();
    await editor.start({ 'a.kiln': 'model A { reference b { to B } }\n' }, { capabilities: {} });
    await editor.open('a.kiln', 'model A { reference b { to B } }\n');
    await editor.diagnostics('a.kiln', (all) => all.length === 1);
    editor.write('b.kiln', 'model B { field x { type string } }\n');
    await editor.connection.sendNotification('textDocument/didSave', { textDocument: { uri: editor.uri('a.kiln') } });
    await editor.diagnostics('a.kiln', (all) => all.length === 0);
  });

  it('reads what is open outside of all folders, with what lies beside it', async () => {
    const editor = newEditor();
    const other = mkdtempSync(join(tmpdir(), 'kiln-lsp-other-'));
    writeFileSync(join(other, 'a.kiln'), 'model A { field x { type string } }\n');
    await editor.start();
    await editor.open(
      pathToFileURL(join(other, 'b.kiln')).href,
      'model B { reference a { to A }  reference c { to C } }\n',
    );
    const found = await editor.diagnostics(pathToFileURL(join(other, 'b.kiln')).href, (all) => all.length > 0);
    expect(found.map(({ code }) => code)).to.deep.equal(['unknown-model']);
    await editor.open('untitled:Untitled-1', 'model U { field x { type strin } }\n');
    await editor.diagnostics('untitled:Untitled-1', (all) => all.length === 1);
    rmSync(other, { recursive: true });
  });

  it('stays alive and in step through any edits', async () => {
    const editor = newEditor();
    const files = readdirSync(EXAMPLE).filter((name) => /\w\.kiln$/.test(name));
    const texts = Object.fromEntries(files.map((name) => [name, readFileSync(join(EXAMPLE, name), 'utf8')]));
    await editor.start(texts);
    for (const name of files) await editor.open(name, texts[name] as string);
    const random = randomFrom(20_26);
    const pieces = [
      '{',
      '}',
      '"',
      '"""',
      '/*',
      '*/',
      '//',
      '\r\n',
      '\n',
      '.',
      ',',
      ' ',
      'model X {',
      'é😀',
      '\u0000',
      '@auth',
      'field',
    ];
    for (let round = 0; round < 250; round += 1) {
      const name = files[random(files.length)] as string;
      const { length } = editor.document(name).getText();
      const start = random(length + 1);
      const end = Math.min(length, start + (random(4) === 0 ? random(60) : 0));
      await editor.edit(name, start, end, pieces[random(pieces.length)] as string);
      if (round % 5 !== 0) continue;
      const position = editor.document(name).positionAt(start);
      for (const method of ['completion', 'hover', 'definition']) await editor.ask(method, { path: name, position });
      await editor.askFile<DocumentSymbol[]>('documentSymbol', name);
    }
    for (const name of files) {
      const text = editor.document(name).getText();
      await editor.edit(name, 0, text.length, ` ${texts[name]}`);
      const edits = await editor.askFile<TextEdit[]>('formatting', name, { options: {} });
      expect(editor.applied(name, edits)).to.equal(texts[name]);
    }
    expect(editor.log.filter((line) => line.includes('failed'))).to.deep.equal([]);
  });
});

/** The same numbers each time. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
