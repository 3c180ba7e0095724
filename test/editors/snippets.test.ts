import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { rootOf } from './highlights.ts';

interface Snippet {
  readonly prefix: string;
  readonly description: string;
  readonly body: string | readonly string[];
}

const file = new URL('../../editors/vscode/snippets.json', import.meta.url);
const snippets: Readonly<Record<string, Snippet>> = JSON.parse(readFileSync(file, 'utf8'));

/** Where each kind of snippet is typed; the others stand outside all braces. */
const AROUND: Readonly<Record<string, readonly [string, string]>> = {
  field: ['model A {', '}'],
  reference: ['model A {', '}'],
  relation: ['model A {', '}'],
  query: ['model A {', '}'],
  hook: ['model A {', '}'],
  entrypoint: ['api {', '}'],
  post: ['api { entrypoint A as a {', '} }'],
};

describe('the snippets', () => {
  for (const [name, { prefix, body }] of Object.entries(snippets)) {
    it(`give a source without mistakes where nothing is changed: ${name}`, () => {
      const [before, after] = AROUND[prefix] ?? ['', ''];
      const source = [before, written([body].flat().join('\n')), after].join('\n');
      expect(rootOf(source).hasError, source).to.equal(false);
      expect(source).not.to.include('$');
    });
  }
});

/** What stands there when every place is left as it is; inner places first. */
function written(body: string): string {
  const simpler = body
    .replace(/\$\{\d+\|([^,|]+)[^|]*\|\}/g, '$1')
    .replace(/\$\{\d+:([^{}$]*)\}/g, '$1')
    .replace(/\$\d+/g, '');
  return simpler === body ? body : written(simpler);
}
