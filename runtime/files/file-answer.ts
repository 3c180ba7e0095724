/** A stored file as an answer: an address of it that is valid for a short time, or its bytes. */
import type { StoredFile } from '../../compiler/definition/files.ts';
import type { Answer, Exchange } from '../request/exchange.ts';
import { attachment, type ByteRange, type FileStore } from './store.ts';

/** What is stored under an id never changes. */
export async function fileAnswer(
  store: FileStore,
  { id, name, type, size }: StoredFile,
  { request, response }: Pick<Exchange, 'request' | 'response'>,
): Promise<Answer> {
  const isHead = request.method === 'HEAD';
  // A bucket takes an address only for the method that it was signed for.
  const location = await store.downloadAddress(id, name, type, isHead ? 'HEAD' : 'GET');
  const common = { 'cache-control': 'private' };
  if (location !== null) return { status: 302, headers: { ...common, location }, body: null };
  const etag = `"${id}"`;
  if (request.headers['if-none-match'] === etag) return { status: 304, headers: { ...common, etag }, body: null };
  const range = (request.headers['if-range'] ?? etag) === etag ? rangeOf(request.headers.range, size) : null;
  const headers = {
    ...common,
    etag,
    'content-type': type,
    'content-disposition': attachment(name),
    'content-security-policy': "default-src 'none'; sandbox",
    'accept-ranges': 'bytes',
  };
  if (range === 'beyond')
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, body: null };
  const length = range ? range.end - range.start + 1 : size;
  const part = range ? { 'content-range': `bytes ${range.start}-${range.end}/${size}` } : {};
  const stream = isHead ? null : await store.read(id, range ?? undefined);
  // The file would stay open after a client has gone away.
  response.once('close', () => stream?.destroy());
  const bytes = stream?.[Symbol.asyncIterator]() as AsyncIterator<Buffer, null> | undefined;
  const next = async () => (await bytes?.next())?.value ?? null;
  const body = { size: stream?.readableHighWaterMark ?? 0, length, next };
  return { status: range ? 206 : 200, headers: { ...headers, ...part }, body };
}

/** One range, as players of videos ask for it. Others are answered with the whole. */
function rangeOf(header: string | undefined, size: number): ByteRange | 'beyond' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start > end ? 'beyond' : { start, end };
}
