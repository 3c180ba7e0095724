import { EventEmitter } from 'node:events';
import type { Wire } from './driver.ts';
import { Packets } from './packets.ts';

/**
 * Lets a connection of pg hand over rows as bytes. pg's own parser, which makes a text of every field, still reads all
 * other messages. Where pg does not attach its parser in this way any more, this throws, or `RawQuery` does.
 */
export function keepRowsRaw(wire: Wire): void {
  const { attachListeners } = wire;
  if (typeof attachListeners !== 'function') throw new Error('pg has no `attachListeners` in its connections any more');
  wire.attachListeners = (stream) => {
    const others = new EventEmitter();
    attachListeners.call(wire, others);
    const packets = new Packets({
      row: (row) => wire.emit('dataRow', row),
      packets: (bytes) => others.emit('data', bytes),
    });
    stream.on('data', (bytes) => packets.read(bytes));
    stream.on('end', () => others.emit('end'));
  };
}
