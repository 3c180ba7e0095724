/** A stored file as an answer: an address of it that is valid for a short time, or its bytes. */
import type { StoredFile } from '../../compiler/definition/files.ts';
import type { Answer, Exchange } from '../request/exchange.ts';
import { attachment, type ByteRange, type FileStore } from './store.ts';

export async function fileAnswer(
  store: FileStore,
  { id, name, type, size }: StoredFile,
  { request }: Pick<Exchange, 'request'>,
): Promise<Answer> {
  const address = await store.downloadAddress(id, name, type);
  const common = { 'cache-control': 'private', 'x-content-type-options': 'nosniff' };
  if (address !== null) return { status: 302, headers: { ...common, location: address }, body: null };
  const range = rangeOf(request.headers.range, size);
  const headers = {
    ...common,
    'content-type': type,
    'content-disposition': attachment(name),
    'accept-ranges': 'bytes',
  };
  if (range === 'beyond')
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, body: null };
  const length = range ? range.end - range.start + 1 : size;
  const part = range ? { 'content-range': `bytes ${range.start}-${range.end}/${size}` } : {};
  const bytes = request.method === 'HEAD' ? null : (await store.read(id, range ?? undefined))[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = (await bytes?.next()) ?? { done: true, value: null };
    return done ? null : (value as Buffer);
  };
  return { status: range ? 206 : 200, headers: { ...headers, ...part }, body: { size: 0, length, next } };
}

/** One range, as players of videos ask for it. Others are answered with the whole. */
function rangeOf(header: string | undefined, size: number): ByteRange | 'beyond' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start > end ? 'beyond' : { start, end };
}
