/**
 * The text of `/openapi.json`. That of a large application has megabytes, and many servers are never asked for it. So
 * whoever has it in a file reads only its beginning at the start.
 */
export interface DocumentText {
  /** The first kilobytes: what a server needs of it stands first. */
  readonly beginning: string;
  whole(): string;
}

export function documentText(text: string): DocumentText {
  return { beginning: text, whole: () => text };
}

/** The fingerprint of the contract. It stands among the first keys. */
export function contractIn({ beginning }: DocumentText): string | undefined {
  return /"x-kiln-contract":\s*"(\w+)"/.exec(beginning.slice(0, 500))?.[1];
}

interface Info {
  readonly title: string;
  readonly version: string;
}

/** Indented, as in most documents, or on one line, as in large ones. */
const INFO = /^(?: {2}"info": (\{$.*?^ {2}\})|"info": (\{.*?\})),?$/ms;

/** The whole text is read only where Kiln has not written it, or where it begins with more than is expected. */
export function infoIn({ beginning, whole }: DocumentText): Info {
  const [, indented, info = indented] = INFO.exec(beginning) ?? [];
  return info === undefined ? (JSON.parse(whole()) as { readonly info: Info }).info : (JSON.parse(info) as Info);
}
