import { expect } from 'chai';
import { compile } from '../../../compiler/compile.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { Subject } from '../../../compiler/difference/difference.ts';
import type { Program } from '../../../compiler/program/program.ts';
import { SourceMap } from '../../../compiler/source/line-index.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { placesIn } from '../../../pipeline/difference/subject-place.ts';

const BEFORE = `
enum Status { draft, live }
model Tag { field name { type string } }
model Post {
  field title { type string }
  field status { type Status, default "draft" }
  relation comments { from Comment, through post }
}
model Comment { reference post { to Post }, field text { type string } }
api {
  entrypoint Tag { list endpoint {} }
  entrypoint Post as post {
    list endpoint {}
    get endpoint {}
    entrypoint comments { list endpoint {} }
  }
}
`;

const AFTER = `
enum State was Status { draft, live }
drop model Tag
model Article was Post {
  field heading { type string, was title }
  field status { type State, default "draft" }
  relation comments { from Comment, through post }
}
model Comment { reference post { to Article }, field text { type string } }
api {
  entrypoint Article as article {
    create endpoint { action { create { input * } } }
    update endpoint { method PUT, PATCH }
    POST one "publish" {
      extra inputs { field reason { type string, default "" } }
      action { update article { set status "live", set heading reason } }
    }
    entrypoint comments { create endpoint { action { create { input * } } } }
  }
}
`;

interface Sides {
  readonly program: Program;
  readonly sources: SourceMap;
  readonly other: Definition;
}

describe('the place of a line', () => {
  let sides: Sides;

  before(async () => {
    await loadGrammar();
    const files = [{ path: 'blog.kiln', text: AFTER }];
    const [other, { program, diagnostics }] = [compile([{ path: 'blog.kiln', text: BEFORE }]), compile(files)];
    if (!other.definition || !program) throw new Error(JSON.stringify([other.diagnostics, diagnostics]));
    sides = { program, sources: new SourceMap(files, 'apps'), other: other.definition };
  });

  /** The line of the source, and how it goes on from the place. */
  function placed(subject: Subject): string | null {
    const place = placesIn(sides.program, sides.sources, sides.other)(subject);
    if (place === null) return null;
    expect(place.file).to.equal('apps/blog.kiln');
    const line = AFTER.split('\n')[place.line - 1] as string;
    return line.slice(place.column - 1).replace(/ was .*| \{.*| \}.*|,.*/, '');
  }

  const CASES: readonly (readonly [string, Subject, string | null])[] = [
    ['an endpoint', { kind: 'endpoint', id: 'article.create' }, 'create endpoint'],
    ['the second method of an endpoint', { kind: 'endpoint', id: 'article.update.patch' }, 'update endpoint'],
    ['an input of it', { kind: 'endpoint', id: 'article.update.patch', input: 'heading' }, 'heading'],
    ['a custom endpoint', { kind: 'endpoint', id: 'article.publish' }, 'POST one "publish"'],
    ['an extra input', { kind: 'endpoint', id: 'article.publish', input: 'reason' }, 'reason'],
    ['an input that is a field', { kind: 'endpoint', id: 'article.create', input: 'heading' }, 'heading'],
    [
      'an input that comes from the path',
      { kind: 'endpoint', id: 'article.comments.create', input: 'post' },
      'create endpoint',
    ],
    ['an input that is gone', { kind: 'endpoint', id: 'article.create', input: 'title' }, 'create endpoint'],
    [
      'an endpoint that is gone, whose entrypoint is left',
      { kind: 'endpoint', id: 'article.comments.list' },
      'comments',
    ],
    ['an endpoint whose entrypoint is gone', { kind: 'endpoint', id: 'post.list' }, 'Article'],
    ['an endpoint of a model that was dropped', { kind: 'endpoint', id: 'tag.list' }, 'Tag'],
    ['an endpoint that nobody knows', { kind: 'endpoint', id: 'user.list' }, 'api'],
    ['a model', { kind: 'model', name: 'Comment' }, 'Comment'],
    ['a model that was renamed', { kind: 'model', name: 'Post' }, 'Article'],
    ['a model that was dropped', { kind: 'model', name: 'Tag' }, 'Tag'],
    ['a member', { kind: 'model', name: 'Article', member: 'status' }, 'status'],
    ['a member that was renamed', { kind: 'model', name: 'Post', member: 'title' }, 'heading'],
    ['a member that is gone', { kind: 'model', name: 'Article', member: 'subtitle' }, 'Article'],
    ['the key of a reference', { kind: 'model', name: 'Comment', member: 'post_id' }, 'post'],
    ['an enum', { kind: 'enum', name: 'State' }, 'State'],
    ['an enum that was renamed', { kind: 'enum', name: 'Status' }, 'State'],
    ['the application as a whole', { kind: 'application' }, null],
    ['what is nowhere', { kind: 'model', name: 'User' }, null],
  ];

  for (const [what, subject, expected] of CASES) {
    it(`is found for ${what}`, () => expect(placed(subject)).to.equal(expected));
  }

  it('is that of `auth` for the endpoints of accounts', () => {
    const users = 'model User { field email { type string, unique }, field hash { type string, secret } }\n';
    const auth = 'auth { model User, login email, password hash }\n';
    const api = 'api { entrypoint User as user { list endpoint {} } }\n';
    const both = [`${api}${users}`, `${api}${users}${auth}`].map((text) => {
      const files = [{ path: 'people.kiln', text }];
      const { program, definition, diagnostics } = compile(files);
      if (!program || !definition) throw new Error(JSON.stringify(diagnostics));
      return { program, definition, sources: new SourceMap(files, '') };
    });
    const [without, having] = both as [(typeof both)[0], (typeof both)[0]];
    const added = placesIn(having.program, having.sources, without.definition);
    for (const id of ['auth.me', 'auth.login', 'auth.register'])
      expect(added({ kind: 'endpoint', id })).to.include({ line: 3, column: 1 });
    const removed = placesIn(without.program, without.sources, having.definition);
    expect(removed({ kind: 'endpoint', id: 'auth.me' })).to.include({ line: 2 });
  });
});
