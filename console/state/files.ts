/** Files that are sent to the server, and files that the browser saves. */
import { successOf } from './console-api.ts';
import { responseOf, SERVER } from './page.ts';

/** The answer of an upload. */
interface Offer {
  readonly file: string;
  /** An address of a bucket, or a path of the server. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a file to the address that `offer` gets. Returns the value that a record takes. */
export async function uploaded(file: File, offer: (form: object) => Promise<Offer>): Promise<string> {
  const type = file.type || 'application/octet-stream';
  const { file: id, url, headers } = await offer({ name: file.name, type, size: file.size });
  const address = url.startsWith('/') ? `${SERVER}${url}` : url;
  await successOf(await responseOf(address, { method: 'PUT', headers, body: file }));
  return id;
}

/** A file as the API and the console's own API describe it. */
export interface FileForm {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

export function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}
