/**
 * One execution of a prepared statement as Postgres's protocol has it, in one buffer: Bind, Execute, Sync. All values and
 * results are texts, which is said by naming no formats.
 */
import { Buffer } from 'node:buffer';

const BIND = 'B'.charCodeAt(0);
/** The unnamed portal with all of its rows, and the end of the execution. */
const EXECUTE_AND_SYNC = Buffer.from('E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04', 'latin1');

/** Of the letter, the length, the names' ends, and the counts of formats, values and formats of results. */
const FIXED = 1 + 4 + 1 + 1 + 2 + 2 + 2;
const LENGTH = 4;
const NULL = -1;

export function executionMessage(name: string, values: readonly (string | null)[]): Buffer {
  const nameSize = Buffer.byteLength(name);
  const bindSize = FIXED + nameSize + sizeOf(values);
  const message = Buffer.allocUnsafe(bindSize + EXECUTE_AND_SYNC.length);
  message[0] = BIND;
  message.writeInt32BE(bindSize - 1, 1);
  message[5] = 0;
  let at = 6 + message.write(name, 6);
  message[at] = 0;
  message.writeInt16BE(0, at + 1);
  message.writeUInt16BE(values.length, at + 3);
  at = writeValues(message, values, at + 5);
  message.writeInt16BE(0, at);
  message.set(EXECUTE_AND_SYNC, at + 2);
  return message;
}

function sizeOf(values: readonly (string | null)[]): number {
  let size = values.length * LENGTH;
  for (const value of values) if (value !== null) size += Buffer.byteLength(value);
  return size;
}

/** Gives where they end. */
function writeValues(message: Buffer, values: readonly (string | null)[], start: number): number {
  let at = start;
  for (const value of values) {
    const size = value === null ? NULL : message.write(value, at + LENGTH);
    message.writeInt32BE(size, at);
    at += LENGTH + Math.max(size, 0);
  }
  return at;
}
