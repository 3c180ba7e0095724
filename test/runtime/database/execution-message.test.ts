import { expect } from 'chai';
import fc from 'fast-check';
import { executionMessage } from '../../../runtime/query/connections/raw-query.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';

/** The letters of the packets and what is in each, read as Postgres reads them. */
function packetsIn(bytes: Buffer): readonly (readonly [string, Buffer])[] {
  const packets: (readonly [string, Buffer])[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readInt32BE(at + 1);
    packets.push([String.fromCharCode(bytes[at] ?? 0), bytes.subarray(at + 5, at + 1 + size)]);
    at += 1 + size;
  }
  return packets;
}

function boundIn(bytes: Buffer) {
  let at = 0;
  const text = () => {
    const end = bytes.indexOf(0, at);
    const found = bytes.toString('utf8', at, end);
    at = end + 1;
    return found;
  };
  const number = (size: 2 | 4) => {
    at += size;
    return bytes.readIntBE(at - size, size);
  };
  const value = () => {
    const size = number(4);
    at += Math.max(size, 0);
    return size < 0 ? null : bytes.toString('utf8', at - size, at);
  };
  const [portal, name, formats] = [text(), text(), number(2)];
  const values = Array.from({ length: number(2) }, value);
  return { portal, name, formats, values, results: number(2), rest: bytes.length - at };
}

describe('the message of an execution', () => {
  it('is Bind with the name and the values, Execute of all rows, and Sync', () => {
    const values = fc.array(fc.option(fc.string({ unit: ANY_CHARACTER }), { nil: null }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.string(), values, (anyName, bound) => {
        const name = anyName.replaceAll('\0', '');
        const [bind, execute, sync, ...more] = packetsIn(executionMessage(name, bound));
        expect(bind?.[0]).to.equal('B');
        expect(boundIn(bind?.[1] ?? Buffer.of())).to.deep.equal({
          portal: '',
          name,
          formats: 0,
          values: bound,
          results: 0,
          rest: 0,
        });
        expect([execute, sync, ...more]).to.deep.equal([
          ['E', Buffer.from([0, 0, 0, 0, 0])],
          ['S', Buffer.of()],
        ]);
      }),
      { numRuns: 40 },
    );
  });
});
