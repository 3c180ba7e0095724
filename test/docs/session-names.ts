/**
 * The names of a document and what stands for them here. A document says `postgres:18`, port 3000 and `/home/ada`; a run
 * has other images, a free port and a folder of its own. Applications are called apart from those of other runs, because
 * their images are in an engine that others use too.
 */

export interface Names {
  /** From the words of the document to those of this machine. */
  readonly here: (text: string) => string;
  /** And back. */
  readonly told: (text: string) => string;
}

interface Surroundings {
  /** Folders of the document, and where they are. */
  readonly folders: Readonly<Record<string, string>>;
  readonly port: number;
  /** For a second server: 3001 in the document. */
  readonly nextPort: number;
  /** Images of the document, and what they are called here. */
  readonly images: Readonly<Record<string, string>>;
  readonly applications: readonly string[];
  readonly run: string;
}

type Pair = readonly [told: RegExp, here: string, back: RegExp, name: string];

export function namesOf({ folders, port, nextPort, images, applications, run }: Surroundings): Names {
  const words = {
    ...images,
    ...folders,
    '3000:3000': `${port}:3000`,
    'localhost:3000': `localhost:${port}`,
    '3001:3000': `${nextPort}:3000`,
    'localhost:3001': `localhost:${nextPort}`,
  };
  const pairs = [
    ...applications.map((name) => applicationPair(name, `${name}-${run}`)),
    ...Object.entries(words).map(([told, here]) => wordPair(told, here)),
  ];
  return {
    here: (text) => pairs.reduce((now, [told, here]) => now.replace(told, here), installed(text)),
    told: (text) => pairs.reduce((now, [, , back, name]) => now.replace(back, name), text),
  };
}

/** What is installed already is not installed again, and `kiln` is on the path. */
function installed(command: string): string {
  return command.replaceAll('npm ci && npm link', 'true').replaceAll('npm ci && ', '');
}

function wordPair(told: string, here: string): Pair {
  return [pattern(told), here, pattern(here), told];
}

/** Not what only sounds the same: the path of an entrypoint, and a source. */
function applicationPair(told: string, here: string): Pair {
  return [new RegExp(`(?<!api/|\\w)${told}(?!\\w|\\.kiln)`, 'g'), here, pattern(here), told];
}

function pattern(text: string): RegExp {
  return new RegExp(`(?<!\\w)${text.replace(/[.+]/g, '\\$&')}(?!\\w)`, 'g');
}
