import assert from 'node:assert/strict';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import { servedDocument } from '../../runtime/console/document-route.ts';

const TEXT = '{ "openapi": "3.1.0", "x-kiln-contract": "abc123" }';

function definitionWith(endpoints: number): Definition {
  return { endpoints: Array.from({ length: endpoints }, () => ({}) as Endpoint) } as unknown as Definition;
}

describe('the document of what is served', () => {
  it('is made at once for an application of usual size', () => {
    assert.equal(servedDocument(() => TEXT, definitionWith(300))?.contract(), 'abc123');
  });

  it('is made when it is asked for where it is large, and once', () => {
    let made = 0;
    let told = 0;
    const document = servedDocument(() => {
      made++;
      return TEXT;
    }, definitionWith(301));
    assert.ok(document);
    document.onMade = () => {
      told++;
    };
    assert.deepEqual([made, document.contract()], [0, undefined]);
    assert.deepEqual([document.read(), document.read()], [TEXT, TEXT]);
    assert.deepEqual([made, told, document.contract()], [1, 1, 'abc123']);
  });

  it('has its contract from the beginning where the text is there', () => {
    assert.equal(servedDocument(TEXT, definitionWith(5000))?.contract(), 'abc123');
  });
});
