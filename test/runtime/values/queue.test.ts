import { expect } from 'chai';
import pg from 'pg';
import { type DriverClient, useConstantTimeQueues } from '../../../runtime/query/connections/driver.ts';
import { Queue } from '../../../runtime/values/queue.ts';

describe('a queue', () => {
  it('gives what came first, as an array does, whatever is done in between', () => {
    const queue = new Queue<number>();
    const array: number[] = [];
    for (let at = 0; at < 5000; at++) {
      if (at % 7 < 4) {
        queue.push(at);
        array.push(at);
      } else expect(queue.shift()).to.equal(array.shift());
      expect([queue.length, queue.first]).to.deep.equal([array.length, array[0]]);
    }
    while (array.length > 0) expect(queue.shift()).to.equal(array.shift());
    expect(queue.shift()).to.equal(undefined);
  });

  it('can be looked through, thinned out and emptied, as pg does', () => {
    const queue = new Queue<string>();
    for (const item of ['gone', 'a', 'b', 'c']) queue.push(item);
    queue.shift();
    queue.splice(queue.indexOf('b'), 1);
    const seen: string[] = [];
    queue.forEach((item) => void seen.push(item));
    expect(seen).to.deep.equal(['a', 'c']);
    expect(queue.indexOf('b')).to.equal(-1);
    queue.length = 0;
    expect([queue.length, queue.first]).to.deep.equal([0, undefined]);
  });

  it('takes from the front of a million in no time', () => {
    const queue = new Queue<number>();
    for (let at = 0; at < 1_000_000; at++) queue.push(at);
    let sum = 0;
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) sum += item;
    expect(sum).to.equal(499_999_500_000);
  });

  it('takes the place of those of pg, or says that pg has none any more', () => {
    const client = new pg.Client() as unknown as DriverClient;
    useConstantTimeQueues(client);
    expect(Reflect.get(client, '_sentQueryQueue')).to.be.instanceOf(Queue);
    const other = Object.assign(new pg.Client(), { _queryQueue: undefined }) as unknown as DriverClient;
    expect(() => useConstantTimeQueues(other)).to.throw('pg has no `_queryQueue`');
  });
});
