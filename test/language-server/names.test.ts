import { expect } from 'chai';
import type { CodeAction, Hover, Location, Range, TextEdit, WorkspaceEdit } from 'vscode-languageserver/node';
import { Editor } from './editor.ts';

const MODELS = `enum Status { draft, live }

/// Who writes.
model Author {
  field email { type string, unique }
  field password_hash { type string, secret }
  /// How they sign.
  field name { type string, validate { minLength(2) and shouted() } }
  relation posts { from Post, through author }
  computed post_count { count(posts) }
}

model Post {
  reference author { to Author }
  field slug { type string, unique }
  field status { type Status, default "draft" }
  query fresh { from author.posts as other, filter { other.status is "live" } }
  unique { author, slug }
}

validator shouted {
  arg value { type string }
  assert { value is upper(value) }
  error { code "quiet" }
}

auth { model Author, login email, password password_hash }

/// What a list shows.
shape Card of Post { slug, author Person }
shape Person of Author { name }

model Parcel { hook label { inline "1", returns { state: Status, days: [integer] } } }

/// Who may sign.
rule may_sign(entry of Post) { entry.author is @auth }

/// Where posts are read.
setting SITE_URL { default "/" }

/// Tells everybody.
job Announce { input post { to Post }  action { update post { set slug "x" } } }
`;

const API = `api {
  entrypoint Author as writer {
    identify { through email }
    response { name, posts { slug, author { post_count } } }
    get endpoint {}
    entrypoint posts as post {
      list endpoint { response { ...Card, status }
        extra inputs { field least { type integer } }
        filter { author.post_count >= least and author_id > 0 }
      }
      create endpoint { action { create { set status "live" } } }
      POST one "sign" {
        authorize { @auth.email is not null and may_sign(post) }
        action { update post as signed { set slug signed_by + setting(SITE_URL) } run Announce { post: signed } }
        extra inputs { field signed_by { type string } }
      }
    }
  }
}

populator Dev {
  populate Author as a {
    repeat as i 3
    set name faker.person.fullName()
    populate posts { set slug a.email + i.current }
  }
}

api Own { entrypoint @auth as me { update endpoint { action { update @auth { set name me.name + "!" } } } } }
`;

/** The text with `|` before the n-th (first) occurrence of a phrase, at the place of `^` in it. */
function at(text: string, phrase: string): string {
  const place = text.indexOf(phrase.replace('^', ''));
  if (place < 0) throw new Error(`no ${phrase}`);
  const cursor = place + phrase.indexOf('^');
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

describe('language server: names', () => {
  let editor: Editor;

  before(async () => {
    editor = new Editor();
    await editor.start({ 'models.kiln': MODELS, 'api.kiln': API });
    await editor.open('models.kiln', MODELS);
    await editor.open('api.kiln', API);
  });

  after(() => editor.stop());

  const cursorAt = (path: string, phrase: string) => editor.open(path, at(path === 'api.kiln' ? API : MODELS, phrase));

  async function definition(path: string, phrase: string): Promise<string | undefined> {
    const found = await editor.ask<Location | null>('definition', await cursorAt(path, phrase));
    if (!found) return undefined;
    const file = found.uri.endsWith('api.kiln') ? 'api.kiln' : 'models.kiln';
    const { start } = found.range;
    return `${file}:${start.line + 1} ${editor.textAt(file, found.range)}`;
  }

  const definitions: readonly (readonly [file: string, cursor: string, declared: string | undefined])[] = [
    ['api.kiln', 'entrypoint ^Author', 'models.kiln:4 Author'],
    ['api.kiln', 'through ^email', 'models.kiln:5 email'],
    ['api.kiln', 'response { na^me', 'models.kiln:8 name'],
    ['api.kiln', 'posts^ { slug', 'models.kiln:9 posts'],
    ['api.kiln', 'author { ^post_count', 'models.kiln:10 post_count'],
    ['api.kiln', 'entrypoint ^posts', 'models.kiln:9 posts'],
    ['api.kiln', 'filter { author.^post_count', 'models.kiln:10 post_count'],
    ['api.kiln', '>= ^least', 'api.kiln:8 least'],
    ['api.kiln', 'and ^author_id', 'models.kiln:14 author'],
    ['api.kiln', 'set ^status', 'models.kiln:16 status'],
    ['api.kiln', 'set status "^live"', 'models.kiln:1 live'],
    ['api.kiln', '^@auth', 'models.kiln:4 Author'],
    ['api.kiln', '@auth.^email', 'models.kiln:5 email'],
    ['api.kiln', 'update ^post', 'api.kiln:6 post'],
    ['api.kiln', 'set slug ^signed_by', 'api.kiln:15 signed_by'],
    ['api.kiln', 'populate ^Author', 'models.kiln:4 Author'],
    ['api.kiln', 'populate ^posts', 'models.kiln:9 posts'],
    ['api.kiln', 'slug ^a.email', 'api.kiln:22 a'],
    ['api.kiln', '+ ^i.current', 'api.kiln:23 i'],
    ['models.kiln', 'from ^Post', 'models.kiln:13 Post'],
    ['models.kiln', 'through ^author', 'models.kiln:14 author'],
    ['models.kiln', 'type ^Status', 'models.kiln:1 Status'],
    ['models.kiln', 'default "^draft"', 'models.kiln:1 draft'],
    ['models.kiln', 'from author.^posts', 'models.kiln:9 posts'],
    ['models.kiln', '{ ^other.status', 'models.kiln:17 other'],
    ['models.kiln', 'unique { ^author', 'models.kiln:14 author'],
    ['models.kiln', 'and ^shouted', 'models.kiln:21 shouted'],
    ['models.kiln', 'upper(^value', 'models.kiln:22 value'],
    ['models.kiln', 'auth { model ^Author', 'models.kiln:4 Author'],
    ['models.kiln', 'login ^email', 'models.kiln:5 email'],
    ['models.kiln', 'model ^Post', 'models.kiln:13 Post'],
    ['api.kiln', 'entrypoint ^@auth', 'models.kiln:4 Author'],
    ['api.kiln', 'update ^@auth', 'models.kiln:4 Author'],
    ['api.kiln', 'name ^me.name', 'api.kiln:29 me'],
    ['api.kiln', '...^Card', 'models.kiln:30 Card'],
    ['models.kiln', 'author ^Person', 'models.kiln:31 Person'],
    ['models.kiln', 'of ^Post', 'models.kiln:13 Post'],
    ['models.kiln', 'Card of Post { ^slug', 'models.kiln:15 slug'],
    ['models.kiln', 'state: ^Status', 'models.kiln:1 Status'],
    ['api.kiln', 'and ^may_sign', 'models.kiln:36 may_sign'],
    ['api.kiln', 'setting(^SITE_URL', 'models.kiln:39 SITE_URL'],
    ['api.kiln', 'run ^Announce', 'models.kiln:42 Announce'],
    ['models.kiln', '{ ^entry.author', 'models.kiln:36 entry'],
    ['models.kiln', 'entry of ^Post', 'models.kiln:13 Post'],
    ['models.kiln', '^minLength', undefined],
    ['models.kiln', '^type string', undefined],
  ];
  for (const [file, cursor, declared] of definitions) {
    it(`finds the definition at \`${cursor}\``, async () => {
      expect(await definition(file, cursor)).to.equal(declared);
    });
  }

  const hovers: readonly (readonly [file: string, cursor: string, ...says: readonly string[]])[] = [
    ['api.kiln', 'and ^may_sign', 'rule may_sign(entry of Post)', 'Who may sign.'],
    ['api.kiln', 'setting(^SITE_URL', 'setting SITE_URL { default "/" }', 'Where posts are read.'],
    ['api.kiln', 'response { ^name', 'field name { type string', '`Author.name` is a string', 'How they sign.'],
    ['api.kiln', 'entrypoint ^Author', 'model Author {', 'Who writes.'],
    ['api.kiln', 'author.^post_count', 'computed post_count', 'is an integer'],
    ['api.kiln', '^author_id', 'key of the reference `author`: an integer'],
    ['api.kiln', 'update ^post', 'An alias of this declaration: a `Post`'],
    ['api.kiln', '^@auth', 'Who asks: one `Author`'],
    ['api.kiln', 'person.^fullName', 'faker.person.fullName()', 'string'],
    ['api.kiln', '...^Card', 'shape Card of Post { slug, author Person }', 'What a list shows.'],
    ['models.kiln', '^minLength', 'minLength(characters)', 'at least so many characters'],
    ['models.kiln', '^count(posts)', 'count(records)'],
    ['models.kiln', 'type ^string, unique', 'A text.'],
    ['models.kiln', '^posts {', 'relation posts', 'a collection of `Post`'],
    ['models.kiln', '^relation posts', 'relation NAME { … }', 'that refer to this one.', 'hold `from`, `through`.'],
    ['models.kiln', 'string, ^unique }', 'No two records have the same value.', 'field code { type string, unique }'],
    ['api.kiln', 'list end^point', '(list | get | create', 'A route', '`paginable`'],
    ['api.kiln', '^repeat as i', 'repeat [as NAME] (INTEGER | { … })'],
    ['models.kiln', '^returns {', 'returns ({ … } | TYPE) [nullable]', 'The type of the result', 'returns integer'],
    ['models.kiln', '(2) ^and', 'True if both sides are true.', 'computed is_liked { published and likes > 3 }'],
    ['models.kiln', '^days: [', 'a list of integers'],
    ['models.kiln', '"^draft"', 'draft', 'A value of the enum `Status`.'],
  ];
  for (const [file, cursor, ...says] of hovers) {
    it(`explains \`${cursor}\``, async () => {
      const hover = await editor.ask<Hover | null>('hover', await cursorAt(file, cursor));
      const { value } = (hover as Hover).contents as { value: string };
      for (const words of says) expect(value).to.contain(words);
    });
  }

  it('says nothing of a comment', async () => {
    expect(await editor.ask('hover', await cursorAt('models.kiln', '/// ^How'))).to.equal(null);
  });

  it('finds all references of a name, in all files', async () => {
    const cursor = await cursorAt('models.kiln', 'relation ^posts');
    const found = await editor.ask<Location[]>('references', cursor, { context: { includeDeclaration: false } });
    const places = found.map(({ uri, range }) => `${uri.split('/').at(-1)}:${range.start.line + 1}`);
    expect(places).to.deep.equal(['api.kiln:4', 'api.kiln:6', 'api.kiln:25', 'models.kiln:10', 'models.kiln:17']);
  });

  it('finds all uses of a shape', async () => {
    const cursor = await cursorAt('models.kiln', 'shape ^Person');
    const found = await editor.ask<Location[]>('references', cursor, { context: { includeDeclaration: false } });
    expect(found.map(({ range }) => range.start.line + 1)).to.deep.equal([30]);
  });

  it('marks the places of a name in its file', async () => {
    const found = await editor.ask<{ range: Range }[]>('documentHighlight', await cursorAt('api.kiln', '^least {'));
    expect(found.map(({ range }) => range.start.line + 1)).to.deep.equal([8, 9]);
  });

  describe('rename', () => {
    const rename = async (path: string, phrase: string, newName: string) => {
      const edit = await editor.ask<WorkspaceEdit>('rename', await cursorAt(path, phrase), { newName });
      const changed = (file: string) => editor.applied(file, edit.changes?.[editor.uri(file)] ?? []);
      return { models: changed('models.kiln'), api: changed('api.kiln') };
    };
    const refusal = async (path: string, phrase: string, newName: string): Promise<string> => {
      try {
        await rename(path, phrase, newName);
        return 'no refusal';
      } catch (error) {
        return (error as Error).message;
      }
    };

    it('changes a model wherever it is named', async () => {
      const { models, api } = await rename('models.kiln', 'model ^Author', 'Writer');
      expect(models).to.equal(MODELS.replaceAll('Author', 'Writer'));
      expect(api).to.equal(API.replaceAll('Author', 'Writer'));
    });

    it('changes a shape wherever it is used', async () => {
      const { models, api } = await rename('api.kiln', '...^Card', 'Tile');
      expect(models).to.equal(MODELS.replaceAll('Card', 'Tile'));
      expect(api).to.equal(API.replaceAll('Card', 'Tile'));
    });

    it('changes the key along with its reference', async () => {
      const { models, api } = await rename('models.kiln', 'reference ^author', 'by');
      expect(models)
        .to.contain('reference by { to Author }')
        .and.to.contain('through by }')
        .and.to.contain('unique { by, slug }');
      expect(models).to.contain('from by.posts');
      expect(api).to.contain('by.post_count >= least and by_id > 0').and.to.contain('slug, by { post_count }');
    });

    it('changes the value of an enum within its quotes', async () => {
      const { models, api } = await rename('models.kiln', ', ^live', 'public');
      expect(models).to.contain('{ draft, public }').and.to.contain('is "public"');
      expect(api).to.contain('set status "public"');
    });

    it('takes a name that another endpoint has for something else', async () => {
      const { api } = await rename('api.kiln', 'field ^least', 'signed_by');
      expect(api).to.contain('>= signed_by and').and.to.contain('field signed_by { type integer }');
    });

    it('changes a setting in all files', async () => {
      const { models, api } = await rename('api.kiln', 'setting(^SITE_URL', 'BLOG_URL');
      expect(models).to.equal(MODELS.replace('SITE_URL', 'BLOG_URL'));
      expect(api).to.equal(API.replace('SITE_URL', 'BLOG_URL'));
    });

    it('changes a job in all files', async () => {
      const { models, api } = await rename('api.kiln', 'run ^Announce', 'Tell');
      expect(models).to.equal(MODELS.replace('Announce', 'Tell'));
      expect(api).to.equal(API.replace('Announce', 'Tell'));
    });

    it('changes an alias in its declaration only', async () => {
      const { models, api } = await rename('api.kiln', 'as ^post {', 'entry');
      expect(models).to.equal(MODELS);
      const renamed = API.replace('as post', 'as entry').replace('update post', 'update entry');
      expect(api).to.equal(renamed.replace('may_sign(post)', 'may_sign(entry)'));
    });

    const refusals: readonly (readonly [file: string, cursor: string, newName: string, says: string])[] = [
      ['models.kiln', '^minLength', 'x', 'part of Kiln'],
      ['models.kiln', 'enum^ ', 'x', 'no name here'],
      ['models.kiln', 'model ^Post', 'Author', 'already the name'],
      ['models.kiln', 'field ^slug', 'status', 'already the name'],
      ['models.kiln', 'shape ^Card', 'Status', 'already the name'],
      ['models.kiln', 'shape ^Card', 'card', 'does not begin with a capital letter'],
      ['models.kiln', 'reference ^author', 'slug', 'already the name'],
      ['models.kiln', 'model ^Post', '2nd', 'is not a name'],
      ['models.kiln', 'model ^Post', 'null', 'word of the language'],
      ['api.kiln', 'and ^author_id', 'x', 'rename the reference'],
      ['api.kiln', 'as ^post', 'writer', 'already the name'],
      ['api.kiln', 'field ^least', 'slug', 'could be the member of `Post` or the input'],
      ['models.kiln', 'field ^slug', 'least', 'could be the member of `Post` or the input'],
      ['models.kiln', 'validator ^shouted', 'minLength', 'already a built-in validator'],
    ];
    for (const [file, cursor, newName, says] of refusals) {
      it(`refuses to call \`${cursor}\` \`${newName}\``, async () => {
        expect(await refusal(file, cursor, newName)).to.contain(says);
      });
    }

    it('says beforehand what can be renamed', async () => {
      const found = await editor.ask<{ placeholder: string }>(
        'prepareRename',
        await cursorAt('api.kiln', 'through em^ail'),
      );
      expect(found.placeholder).to.equal('email');
    });

    it('refuses while a file cannot be read', async () => {
      await editor.open('broken.kiln', 'model Half {');
      expect(await refusal('models.kiln', 'model ^Post', 'Essay')).to.contain('`broken.kiln` cannot be read');
      await editor.close('broken.kiln');
    });

    it('offers `was` at the new name, for the data to be kept', async () => {
      const { models } = await rename('models.kiln', 'field ^slug', 'handle');
      const cursor = await editor.open('models.kiln', at(models, 'field ^handle'));
      await editor.ask('references', cursor, { context: { includeDeclaration: true } });
      const range = { start: cursor.position, end: cursor.position };
      const actions = await editor.askFile<CodeAction[]>('codeAction', 'models.kiln', {
        range,
        context: { diagnostics: [] },
      });
      expect(actions.map(({ title }) => title)).to.deep.equal(['Keep the data of `slug`: add `was slug`']);
      const edits = actions[0]?.edit?.changes?.[editor.uri('models.kiln')] as TextEdit[];
      expect(editor.applied('models.kiln', edits)).to.contain('field handle { was slug, type string, unique }');
      await editor.open('models.kiln', MODELS);
    });
  });

  it('finds its way while something is declared twice', async () => {
    await editor.open('twice.kiln', 'model Post { field other { type string } }\n');
    const cursor = await cursorAt('api.kiln', 'filter { author.^post_count');
    await editor.ask('references', cursor, { context: { includeDeclaration: true } });
    const found = await editor.ask<Location | null>('definition', cursor);
    expect(found?.range.start.line).to.equal(9);
    await editor.close('twice.kiln');
  });

  it('finds its way in a text that cannot be read just now', async () => {
    await editor.ask('references', await cursorAt('api.kiln', 'entrypoint ^Author'), {
      context: { includeDeclaration: true },
    });
    const broken = API.replace('extra inputs { field least { type integer } }', 'extra inputs { field least {');
    const cursor = await editor.open('api.kiln', at(broken, '@auth.^email'));
    const found = await editor.ask<Location | null>('definition', cursor);
    expect(found?.range.start.line).to.equal(4);
    await editor.open('api.kiln', API);
  });
});
