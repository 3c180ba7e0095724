import { expect } from 'chai';
import type { CodeAction, Diagnostic, TextEdit } from 'vscode-languageserver/node';
import { Editor } from './editor.ts';

const POST = 'model Post {\n  field title { type string }\n}\n';

describe('language server: diagnostics', () => {
  let editor: Editor;

  before(async () => {
    editor = new Editor();
    await editor.start({ 'post.kiln': POST, 'api.kiln': 'api {\n  entrypoint Pots { list endpoint {} }\n}\n' });
  });

  after(() => editor.stop());

  const codes = (found: readonly Diagnostic[]) => found.map(({ code }) => code);
  const one = (code: string) => (found: readonly Diagnostic[]) => codes(found).join() === code;
  const none = (found: readonly Diagnostic[]) => found.length === 0;

  it('tells of files that are not open', async () => {
    const [found] = await editor.diagnostics('api.kiln', one('unknown-model'));
    expect(found).to.deep.include({
      source: 'kiln',
      severity: 1,
      range: { start: { line: 1, character: 13 }, end: { line: 1, character: 17 } },
    });
    expect(found?.message).to.contain('no model has that name').and.to.contain('did you mean `Post`');
  });

  it('gives the edit that fixes it', async () => {
    await editor.open('api.kiln', 'api {\n  entrypoint Pots { list endpoint {} }\n}\n');
    await editor.diagnostics('api.kiln', one('unknown-model'));
    const range = { start: { line: 1, character: 13 }, end: { line: 1, character: 13 } };
    const [action] = await editor.askFile<CodeAction[]>('codeAction', 'api.kiln', {
      range,
      context: { diagnostics: [] },
    });
    expect(action).to.deep.include({ title: 'Change `Pots` to `Post`', kind: 'quickfix' });
    const edits = action?.edit?.changes?.[editor.uri('api.kiln')] as TextEdit[];
    expect(editor.applied('api.kiln', edits)).to.contain('entrypoint Post {');
    await editor.open('api.kiln', editor.applied('api.kiln', edits));
    await editor.diagnostics('api.kiln', none);
  });

  it('does not show a problem again after its fix', async () => {
    await editor.open('mail.kiln', 'model Mail {\n  reference post { to Post, on delete set null }\n}\n');
    const [found] = await editor.diagnostics('mail.kiln', one('set-null-needs-nullable'));
    const context = { diagnostics: [] };
    const [action] = await editor.askFile<CodeAction[]>('codeAction', 'mail.kiln', { range: found?.range, context });
    const edit = action?.edit?.changes?.[editor.uri('mail.kiln')]?.[0] as TextEdit;
    const document = editor.document('mail.kiln');
    const before = editor.published.length;
    const { start, end } = edit.range;
    await editor.edit('mail.kiln', document.offsetAt(start), document.offsetAt(end), edit.newText);
    await editor.diagnostics('mail.kiln', none);
    await editor.askFile('documentSymbol', 'mail.kiln');
    expect(editor.published.slice(before).map(({ diagnostics }) => codes(diagnostics))).to.deep.equal([[]]);
    await editor.close('mail.kiln');
  });

  it('takes what is open for what is on the disk', async () => {
    await editor.open('post.kiln', POST.replace('Post', 'Article'));
    await editor.diagnostics('api.kiln', one('unknown-model'));
    await editor.close('post.kiln');
    await editor.diagnostics('api.kiln', none);
  });

  it('follows the disk', async () => {
    editor.write('post.kiln', POST.replace('Post', 'Essay'));
    const changes = [{ uri: editor.uri('post.kiln'), type: 2 }];
    await editor.connection.sendNotification('workspace/didChangeWatchedFiles', { changes });
    await editor.diagnostics('api.kiln', one('unknown-model'));
    editor.write('post.kiln', POST);
    await editor.connection.sendNotification('workspace/didChangeWatchedFiles', { changes });
    await editor.diagnostics('api.kiln', none);
  });

  it('says what is wrong with the text itself, and keeps to what else it knew', async () => {
    await editor.open('more.kiln', 'model A { reference b { to Bee } }\n\nmodel C { field x { type string } }\n');
    await editor.diagnostics('more.kiln', one('unknown-model'));
    await editor.open('more.kiln', 'model A { reference b { to Bee } }\n\nmodel C { feild x { type string } }\n');
    const found = await editor.diagnostics('more.kiln', (all) => all.length === 2);
    expect(codes(found)).to.deep.equal(['unknown-model', 'unknown-word']);
  });

  it('does not take a model for unknown while its text cannot be read', async () => {
    await editor.open('post.kiln', POST);
    await editor.open('post.kiln', POST.replace('field title', 'field'));
    await editor.diagnostics('post.kiln', (all) => all.length > 0);
    await editor.open('more.kiln', 'model B { relation posts { from Post, through b } }\n');
    await editor.diagnostics('more.kiln', one('unknown-through'));
    await editor.diagnostics('api.kiln', none);
    await editor.close('post.kiln');
    await editor.close('more.kiln');
  });

  it('goes on beside a text that could never be read, and takes for known what it may declare', async () => {
    await editor.open(
      'new.kiln',
      'model Later {\n\nmodel Sound { reference l { to Later }  reference n { to Never } }\n',
    );
    const found = await editor.diagnostics('new.kiln', (all) => all.length === 2);
    expect(found.map(({ range }) => range.start.line)).to.deep.equal([0, 2]);
    expect(found[1]?.message).to.contain('`Never`');
    await editor.close('new.kiln');
  });

  it('counts as editors do: an emoji is two, a CRLF ends a line', async () => {
    await editor.open('crlf.kiln', 'enum Mood { good }\r\n/// 😀\r\nmodel M { /* 😀 */ field x { type strin } }\r\n');
    const [found] = await editor.diagnostics('crlf.kiln', one('unknown-type'));
    const start = 'model M { /* 😀 */ field x { type '.length;
    expect(found?.range).to.deep.equal({
      start: { line: 2, character: start },
      end: { line: 2, character: start + 5 },
    });
    await editor.close('crlf.kiln');
    await editor.diagnostics('crlf.kiln', none);
  });
});
