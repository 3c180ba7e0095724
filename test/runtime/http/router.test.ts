import { expect } from 'chai';
import fc from 'fast-check';
import { ApiError } from '../../../runtime/errors/api-error.ts';
import { requestTargetFrom } from '../../../runtime/request/request-target.ts';
import { type Routed, Router } from '../../../runtime/request/router.ts';
import { segmentsOf } from './serving.ts';

interface Named extends Routed {
  readonly name: string;
}

function router(...routes: readonly string[]): Router<Named> {
  return new Router(
    routes.map((name) => {
      const [method = '', pattern = ''] = name.split(' ');
      return { name, method, path: segmentsOf(pattern) };
    }),
  );
}

function found(of: Router<Named>, method: string, path: string): readonly unknown[] | null {
  const match = of.find(method, path);
  return match && [match.target.name, ...match.params];
}

describe('the router', () => {
  const posts = router(
    'GET /api/post',
    'POST /api/post',
    'GET /api/post/:slug',
    'DELETE /api/post/:slug',
    'GET /api/post/popular',
    'GET /api/post/popular/today',
    'GET /api/post/:slug/comments/:id',
    'POST /api/post/:slug/caf%C3%A9%2Fbar',
  );

  it('gives the route of a method and a path with its parameters in order', () => {
    expect(found(posts, 'GET', '/api/post')).to.deep.equal(['GET /api/post']);
    expect(found(posts, 'POST', '/api/post')).to.deep.equal(['POST /api/post']);
    expect(found(posts, 'GET', '/api/post/a/comments/7')).to.deep.equal(['GET /api/post/:slug/comments/:id', 'a', '7']);
  });

  it('prefers a literal segment to a parameter', () => {
    expect(found(posts, 'GET', '/api/post/popular')).to.deep.equal(['GET /api/post/popular']);
    expect(found(posts, 'GET', '/api/post/other')).to.deep.equal(['GET /api/post/:slug', 'other']);
  });

  it('takes the parameter where the literal leads nowhere', () => {
    const expected = ['GET /api/post/:slug/comments/:id', 'popular', '1'];
    expect(found(posts, 'GET', '/api/post/popular/comments/1')).to.deep.equal(expected);
  });

  it('forgets the parameters of a way that led nowhere', () => {
    const both = router('GET /:a/:b/x', 'GET /:a/c/y', 'GET /:all/:of/:them');
    expect(found(both, 'GET', '/1/c/x')).to.deep.equal(['GET /:a/:b/x', '1', 'c']);
    expect(found(both, 'GET', '/1/c/z')).to.deep.equal(['GET /:all/:of/:them', '1', 'c', 'z']);
  });

  it('lets a literal win only for the methods that it answers', () => {
    expect(found(posts, 'DELETE', '/api/post/popular')).to.deep.equal(['DELETE /api/post/:slug', 'popular']);
  });

  it('compares literals by their decoded text', () => {
    const expected = ['POST /api/post/:slug/caf%C3%A9%2Fbar', 'a'];
    expect(found(posts, 'POST', '/api/post/a/caf%c3%a9%2fbar')).to.deep.equal(expected);
    expect(found(posts, 'POST', '/api/p%6fst/a/%63af%C3%A9%2Fbar')).to.deep.equal(expected);
    expect(found(posts, 'POST', '/api/post/a/café%2Fbar')).to.deep.equal(expected);
    expect(found(posts, 'POST', '/api/post/a/caf%C3%A9/bar')).to.equal(null);
  });

  it('gives back any text that was encoded into a parameter', () => {
    const texts = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text !== 'popular');
    fc.assert(
      fc.property(texts, (text) => {
        expect(found(posts, 'GET', `/api/post/${encodeURIComponent(text)}`)).to.deep.equal([
          'GET /api/post/:slug',
          text,
        ]);
      }),
    );
  });

  for (const bad of ['%', '%zz', '%E0%A4', 'a%ff']) {
    it(`refuses the path segment ${bad}`, () => {
      expect(() => posts.find('GET', `/api/post/${bad}`)).to.throw(ApiError, 'invalid escape');
    });
  }

  it('takes a slash at the end for the same path, but no empty segment', () => {
    expect(found(posts, 'GET', '/api/post/')).to.deep.equal(['GET /api/post']);
    expect(found(posts, 'GET', '/api/post/a/')).to.deep.equal(['GET /api/post/:slug', 'a']);
    for (const path of ['/api/post//', '/api//post', '//api/post', '/api/post//comments/1', '', 'api/post', '*']) {
      expect(found(posts, 'GET', path), path).to.equal(null);
    }
  });

  it('has a route for the root where there is one', () => {
    expect(found(router('GET /'), 'GET', '/')).to.deep.equal(['GET /']);
    expect(found(posts, 'GET', '/')).to.equal(null);
  });

  it('tells upper from lower case', () => {
    expect(found(posts, 'GET', '/API/post')).to.equal(null);
  });

  it('answers HEAD where it answers GET', () => {
    expect(found(posts, 'HEAD', '/api/post')).to.deep.equal(['GET /api/post']);
    expect(found(router('POST /a'), 'HEAD', '/a')).to.equal(null);
  });

  it('knows the methods of a path', () => {
    expect(posts.methodsOf('/api/post')).to.deep.equal(['GET', 'HEAD', 'OPTIONS', 'POST']);
    expect(posts.methodsOf('/api/post/popular')).to.deep.equal(['DELETE', 'GET', 'HEAD', 'OPTIONS']);
    expect(posts.methodsOf('/nothing')).to.deep.equal([]);
  });

  it('is not confused by the names of object properties', () => {
    expect(found(posts, 'GET', '/api/__proto__')).to.equal(null);
    expect(found(posts, 'constructor', '/api/post')).to.equal(null);
  });

  it('refuses two routes for one request', () => {
    expect(() => router('GET /a/:b', 'GET /a/:c')).to.throw('two routes for GET /a/:c');
  });

  it('holds 10,000 routes', () => {
    const names = Array.from({ length: 1000 }, (_, at) => `/api/model_${at}`);
    const patterns = names.flatMap((path) => [
      ...['GET', 'POST'].map((method) => `${method} ${path}`),
      ...['GET', 'PATCH', 'DELETE'].map((method) => `${method} ${path}/:id`),
      ...['GET', 'POST'].map((method) => `${method} ${path}/:id/children`),
      ...['GET', 'PATCH', 'DELETE'].map((method) => `${method} ${path}/:id/children/:child_id`),
    ]);
    const all = router(...patterns);
    expect(patterns).to.have.length(10_000);
    for (const pattern of patterns) {
      const [method = '', path = ''] = pattern.split(' ');
      expect(found(all, method, path.replace(':id', '1').replace(':child_id', '2'))?.[0]).to.equal(pattern);
    }
  });
});

describe('the target of a request', () => {
  const cases: readonly [string, string, string][] = [
    ['/a/b', '/a/b', ''],
    ['/a?b=c?d', '/a', 'b=c?d'],
    ['/a?', '/a', ''],
    ['http://host:1/a/b?c', '/a/b', 'c'],
    ['http://host', '/', ''],
    ['HTTPS://host?x=1', '/', 'x=1'],
    ['//host/a', '//host/a', ''],
    ['*', '*', ''],
  ];
  for (const [url, path, queryString] of cases) {
    it(`is ${path} and \`${queryString}\` of ${url}`, () => {
      expect(requestTargetFrom(url)).to.deep.equal({ path, queryString });
    });
  }
});
