/** The expressions in templates of mails, which editors know as HTML. */
import { expect } from 'chai';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { completionsAt } from '../../language-server/features/completion.ts';
import { hoverAt } from '../../language-server/features/hover.ts';
import { formattingOf } from '../../language-server/features/layout.ts';
import { declarationOf, occurrenceAt } from '../../language-server/features/occurrences.ts';
import { renaming } from '../../language-server/features/rename.ts';
import { KilnFile } from '../../language-server/project/kiln-file.ts';
import { Project } from '../../language-server/project/project.ts';
import { Editor } from './editor.ts';

const SOURCE = `enum Status { open, paid }
/// Who buys.
model Customer { field name { type string }, field email { type string } }
model Order {
  reference customer { to Customer }
  field number { type string }
  field total { type decimal(10, 2) }
  field status { type Status, default "open" }
}
setting SITE {}
mail Receipt {
  input order { to Order }
  to order.customer.email
  subject "Order " + order.number
  body "receipt.html"
}`;
const HTML = '<p>in {{ order.number }}, {{ order.customer.name }}: {{ if(order.total > 3, "much", "") }} and not</p>';
const TEXT = 'Order {{ order.number }}';

describe('language server: templates of mails', () => {
  let project: Project;
  let files: Record<string, string>;

  before(() => loadGrammar());
  beforeEach(() => {
    files = { 'mails/receipt.html': HTML, 'mails/receipt.txt': TEXT };
    project = new Project('/shop', (path) => files[path]);
    project.add(new KilnFile('main.kiln', 'file:///shop/main.kiln', SOURCE));
    for (const _ of project.check());
  });

  /** The template as it is open in an editor, with the cursor at `|`. */
  const opened = (marked: string) => {
    const [before = '', after = ''] = marked.split('|');
    const path = 'mails/receipt.html';
    project.remove(path);
    const file = new KilnFile(path, `file:///shop/${path}`, before + after);
    project.add(file);
    return { file, position: file.positionAt(before.length) };
  };
  const offered = (marked: string) => {
    const { file, position } = opened(marked);
    return completionsAt(project, file, position, true);
  };
  const names = (marked: string) => offered(marked).map(({ label }) => label);
  const at = (path: string, word: string) => {
    const file = project.files.find((each) => each.path === path) as KilnFile;
    return { file, position: file.positionAt(file.text.indexOf(word)) };
  };
  const renamed = async (path: string, word: string, newName: string) => {
    const { file, position } = at(path, word);
    const { edit } = await renaming(project, file, position, newName);
    return Object.fromEntries(Object.entries(edit.changes ?? {}).map(([uri, edits]) => [uri, edits.length]));
  };

  it('complete inputs, members, functions and enums, also in what is not closed yet', () => {
    expect(names('<p>{{ | }}</p>')).to.include.members(['order', 'if', 'setting']);
    expect(names('<p>{{ order.| }}</p>')).to.include.members(['number', 'total', 'customer']);
    expect(names('<p>{{ order.customer.na|')).to.include('name').and.to.not.include('number');
    expect(names('{{ order.number }} {{ setting(| }} {{ order.total }}')).to.deep.equal(['SITE']);
    expect(names('{{ if(order.status is |, "", "") }}')).to.include('"paid"');
    const [item] = offered('<b>{{ order.num| }}</b>');
    expect(item?.textEdit).to.deep.include({
      range: { start: { line: 0, character: 12 }, end: { line: 0, character: 15 } },
    });
  });

  it('complete nothing outside of expressions', () => {
    for (const text of ['<p>|</p>', '<p>{{ order.number }} o|', '<p>|{{ order.number }}'])
      expect(names(text)).to.deep.equal([]);
  });

  it('say what a name is, and where it is declared', () => {
    const name = at('mails/receipt.html', 'name }}');
    expect(JSON.stringify(hoverAt(project, name.file, name.position))).to.include('field name { type string }');
    const order = at('mails/receipt.txt', 'order.');
    expect(JSON.stringify(hoverAt(project, order.file, order.position))).to.include('`Order`');
    const found = occurrenceAt(project, order.file, order.position);
    expect(found && declarationOf(project, found)).to.deep.equal({
      uri: 'file:///shop/main.kiln',
      range: { start: { line: 11, character: 8 }, end: { line: 11, character: 13 } },
    });
    for (const word of ['in {{', 'not</p>']) {
      const html = at('mails/receipt.html', word);
      expect(hoverAt(project, html.file, html.position)).to.equal(undefined);
    }
  });

  it('are changed with the names of fields and inputs, wherever they are renamed', async () => {
    const [main, html, text] = ['main.kiln', 'mails/receipt.html', 'mails/receipt.txt'].map(
      (path) => `file:///shop/${path}`,
    ) as [string, string, string];
    expect(await renamed('main.kiln', 'number {', 'code')).to.deep.equal({ [main]: 2, [html]: 1, [text]: 1 });
    expect(await renamed('mails/receipt.txt', 'number', 'code')).to.deep.equal({ [main]: 2, [html]: 1, [text]: 1 });
    expect(await renamed('main.kiln', 'order {', 'bought')).to.deep.equal({ [main]: 3, [html]: 3, [text]: 1 });
    expect(await renamed('mails/receipt.html', 'order', 'bought')).to.deep.equal({ [main]: 3, [html]: 3, [text]: 1 });
  });

  it('are read as the editor has them, and again from the disk when it has closed them', () => {
    const problems = () => {
      for (const _ of project.check());
      const file = project.files.find(({ path }) => path === 'mails/receipt.html') as KilnFile;
      return project.checked(file.sections[0] as never)?.diagnostics.map(({ code }) => code);
    };
    const { file } = opened('{{ order.nmber }}|');
    expect(problems()).to.deep.equal(['unknown-member']);
    file.apply({ text: '{{ order.number }}' }, 2);
    expect(problems()).to.deep.equal([]);
    project.remove(file.path);
    files['mails/receipt.html'] = '{{ order.nope }}';
    expect(problems()).to.deep.equal(['unknown-member']);
  });

  it('are asked about by editors that let the server ask for them, and only then', async () => {
    const editor = new Editor();
    const asked: string[] = [];
    editor.connection.onRequest('client/registerCapability', ({ registrations }) => {
      for (const { method, registerOptions } of registrations)
        if (registerOptions.documentSelector) asked.push(`${method} ${registerOptions.documentSelector[0].pattern}`);
      return null;
    });
    const capabilities = { textDocument: { completion: { dynamicRegistration: true } } };
    await editor.start({ 'main.kiln': SOURCE, ...files }, { capabilities });
    const cursor = await editor.open('mails/receipt.html', '<p>{{ order.nu|ber }}</p>');
    const [wrong] = await editor.diagnostics('mails/receipt.html', (found) => found.length > 0);
    expect(wrong?.code).to.equal('unknown-member');
    const items = await editor.ask<{ label: string }[]>('completion', cursor);
    expect(items.map(({ label }) => label)).to.include('number');
    const other = await editor.open('other/mails/a.html', 'model |Nope {');
    expect(await editor.ask('hover', other)).to.equal(null);
    await editor.close('other/mails/a.html');
    await editor.close('mails/receipt.html');
    await editor.diagnostics('mails/receipt.html', (found) => found.length === 0);
    expect(asked).to.include('textDocument/completion **/mails/**/*.{html,txt}');
    expect(asked.join()).to.not.include('formatting');
    expect(await editor.stop()).to.equal(0);
  }).timeout(60_000);

  it('are never formatted', () => {
    expect(formattingOf(opened('model  A  {  }|').file)).to.deep.equal([]);
  });
});
