/** An application with a slow endpoint, and what it answers when it cannot work. */
import { expect } from 'chai';
import type { Received } from './running.ts';

export const POSTS = `
model Post { field title { type string }, field votes { type integer, default 0 } }
api {
  entrypoint Post as post {
    list endpoint {}
    create endpoint {}
    update endpoint {}
    POST many "slow" { action { create Post { set title "slow" }, execute { hook { source slow from "code" } } } }
  }
}
`;

const UNAVAILABLE = { status: 503, code: 'unavailable', title: 'The service is not available' };

export function expectUnavailable({ status, headers, json, text }: Received, detail: string): void {
  expect(status).to.equal(503);
  expect(headers['retry-after']).to.match(/^\d+$/);
  expect(headers['content-type']).to.equal('application/problem+json');
  expect(json).to.deep.include({ ...UNAVAILABLE, detail });
  expect(text).to.not.match(/ECONN|SELECT|INSERT|at .*\.ts/);
}
