import { expect } from 'chai';
import fc from 'fast-check';
import type { Wire } from '../../../runtime/query/connections/driver.ts';
import { Packets } from '../../../runtime/query/connections/raw-query.ts';
import { keepRowsRaw } from '../../../runtime/query/connections/session.ts';

/** What has arrived: the fields of a row, or the bytes of other packets. */
type Arrived = readonly (string | null)[] | string;

/** The answer to Bind, of which nobody wants to know. */
const isTold = (sent: Sent): boolean => !('letter' in sent && sent.letter === '2');

type Sent = { readonly row: readonly (string | null)[] } | { readonly letter: string; readonly content: string };

describe('packets', () => {
  it('gives rows and other packets in their order, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(sent(), { maxLength: 12 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
        (all, cuts) => {
          const bytes = Buffer.concat(all.map(packetOf));
          expect(arrivedFrom(cut(bytes, cuts))).to.deep.equal(all.filter(isTold).map(arrivedOf));
        },
      ),
    );
  });

  it('gives many packets that came at once', () => {
    const all = Array.from({ length: 3000 }, (_, at): Sent => ({ row: [String(at), null, ''] }));
    expect(arrivedFrom([Buffer.concat(all.map(packetOf))])).to.deep.equal(all.map(arrivedOf));
  });

  it('gives a packet that came one byte at a time', () => {
    const all: readonly Sent[] = [{ row: ['a', 'é 😀', null] }, { letter: 'C', content: 'SELECT 1' }];
    const bytes = Buffer.concat(all.map(packetOf));
    expect(arrivedFrom(Array.from(bytes, (byte) => Buffer.from([byte])))).to.deep.equal(all.map(arrivedOf));
  });

  it('gives a row that is longer than what a socket gives at once', () => {
    const long: Sent = { row: ['x'.repeat(1_000_000), 'end'] };
    const bytes = Buffer.concat([long, { letter: 'Z', content: 'I' } satisfies Sent].map(packetOf));
    expect(arrivedFrom(cut(bytes, repeat(65_536)))).to.deep.equal([long.row, 'ZI']);
  });

  it('finds the fields of a row in any order', () => {
    const fields = ['first', null, '', 'last'];
    fc.assert(
      fc.property(fc.array(fc.nat(3)), (order) => {
        const found: (string | null)[] = [];
        const packets = new Packets({
          row: (row) => found.push(...order.map((field) => row.text(field))),
          packets: () => undefined,
        });
        packets.read(packetOf({ row: fields }));
        expect(found).to.deep.equal(order.map((field) => fields[field]));
      }),
    );
  });

  it('refuses a driver that attaches its parser in another way', () => {
    expect(() => keepRowsRaw({} as Wire)).to.throw('attachListeners');
  });
});

function sent(): fc.Arbitrary<Sent> {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 });
  return fc.oneof(
    fc.record({ row: fc.array(fc.option(text), { maxLength: 5 }) }),
    fc.record({ letter: fc.constantFrom('C', 'Z', '2', 'E'), content: text }),
  );
}

function packetOf(packet: Sent): Buffer {
  if (!('row' in packet)) return framed(packet.letter, Buffer.from(packet.content));
  const count = Buffer.alloc(2);
  count.writeInt16BE(packet.row.length);
  return framed('D', Buffer.concat([count, ...packet.row.map(fieldOf)]));
}

function fieldOf(field: string | null): Buffer {
  const content = Buffer.from(field ?? '');
  const length = Buffer.alloc(4);
  length.writeInt32BE(field === null ? -1 : content.length);
  return Buffer.concat([length, content]);
}

function framed(letter: string, content: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.write(letter);
  header.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([header, content]);
}

function arrivedOf(packet: Sent): Arrived {
  return 'row' in packet ? packet.row : packet.letter + packet.content;
}

/** Those of the same turn that are no rows come together, and are taken apart here. */
function arrivedFrom(chunks: readonly Buffer[]): readonly Arrived[] {
  const arrived: Arrived[] = [];
  const packets = new Packets({
    row: (row) => arrived.push(row.fields),
    packets: (bytes) => {
      for (let at = 0; at < bytes.length; ) {
        const size = 1 + bytes.readUInt32BE(at + 1);
        arrived.push(bytes.toString('latin1', at, at + 1) + bytes.toString('utf8', at + 5, at + size));
        at += size;
      }
    },
  });
  for (const chunk of chunks) packets.read(chunk);
  return arrived;
}

function cut(bytes: Buffer, sizes: Iterator<number>): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = sizes.next().value as number;
    chunks.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return chunks;
}

function* repeat(size: number): Generator<number> {
  for (;;) yield size;
}
