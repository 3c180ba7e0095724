/** How the text of one variable becomes a value. What is wrong is said without the text where it may be a secret. */
import { Buffer } from 'node:buffer';
import { accessSync, constants } from 'node:fs';
import { fileURLToPath } from 'node:url';

type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** `problem` continues a sentence that begins with the variable's name: `must be …`. */
export type Reader<T> = (text: string) => Reading<T>;

const read = <T>(value: T): Reading<T> => ({ ok: true, value });
const refuse = (problem: string): Reading<never> => ({ ok: false, problem });

export function wholeNumber(min: number, max: number): Reader<number> {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return read(value);
    return refuse(`must be a whole number from ${min} to ${max}, but it is \`${text}\`.`);
  };
}

export function oneOf<const T extends string>(words: readonly T[]): Reader<T> {
  return (text) => {
    const word = words.find((each) => each === text.toLowerCase());
    return word === undefined ? refuse(`must be one of ${words.join(', ')}, but it is \`${text}\`.`) : read(word);
  };
}

const UNITS_OF_TIME: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 60e3, h: 3600e3, d: 86400e3 };
/** The longest that a timer of Node can wait. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Reads a duration in milliseconds, which is also the unit of a plain number. */
export function duration(min: number): Reader<number> {
  return (text) => {
    const value = millisecondsFrom(text, 'ms');
    if (value !== null && value >= min && value <= LONGEST_TIMER) return read(value);
    const none = min === 0 ? '`0`, ' : '';
    return refuse(
      `must be ${none}milliseconds, or a time of at most 24 days such as \`500ms\`, \`30s\` or \`2m\`, but it is \`${text}\`.`,
    );
  };
}

const TEN_YEARS = 3650 * 86400e3;

/**
 * Reads a lifetime in seconds. A number without a unit is rejected: some would take it for seconds, others for days.
 */
export const lifetime: Reader<number> = (text) => {
  const value = millisecondsFrom(text, null);
  if (value !== null && value >= 1000 && value <= TEN_YEARS) return read(Math.floor(value / 1000));
  return refuse(
    `must be a time with its unit, from \`1s\` to \`3650d\`, such as \`12h\` or \`30d\`, but it is \`${text}\`.`,
  );
};

const MOST_FAILURES = 1_000_000;
const ONE_DAY = 86400e3;

/** Reads a number of failures in a span of time. */
export const loginLimit: Reader<'off' | { readonly failures: number; readonly seconds: number }> = (text) => {
  if (text.toLowerCase() === 'off') return read('off');
  const [, digits, time = ''] = /^(\d{1,7}) ?\/ ?(.*)$/.exec(text) ?? [];
  const failures = Number(digits);
  const span = millisecondsFrom(time, null) ?? 0;
  const isRight = failures >= 1 && failures <= MOST_FAILURES && span >= 1000 && span <= ONE_DAY;
  if (isRight) return read({ failures, seconds: Math.floor(span / 1000) });
  return refuse(
    `must be \`off\`, or a number and a time of at most \`1d\`, such as \`20/15m\`, but it is \`${text}\`.`,
  );
};

function millisecondsFrom(text: string, unitOfPlainNumbers: string | null): number | null {
  const [, digits, unit = unitOfPlainNumbers] = /^(\d{1,15}) ?(ms|s|m|h|d)?$/i.exec(text) ?? [];
  const factor = UNITS_OF_TIME[unit?.toLowerCase() ?? ''];
  return digits === undefined || factor === undefined ? null : Number(digits) * factor;
}

const UNITS_OF_SIZE: Readonly<Record<string, number>> = { b: 1, kb: 2 ** 10, mb: 2 ** 20 };
/** Node cannot hold the text of a body that is much larger. */
const LARGEST_BODY = 256 * 2 ** 20;

/** Reads a size in bytes. */
export const size: Reader<number> = (text) => {
  const [, digits, unit = 'b'] = /^(\d{1,15}) ?(b|kb|mb)?$/i.exec(text) ?? [];
  const value = Number(digits) * (UNITS_OF_SIZE[unit.toLowerCase()] ?? 1);
  if (value >= 1 && value <= LARGEST_BODY) return read(value);
  return refuse(
    `must be a size of at most 256mb such as \`1mb\`, \`512kb\` or a number of bytes, but it is \`${text}\`.`,
  );
};

export const hostName: Reader<string> = (text) =>
  /^[^\s/?#@]+$/.test(text)
    ? read(text)
    : refuse(`must be the address of a network interface, such as \`0.0.0.0\` or \`::1\`, but it is \`${text}\`.`);

const FILES = ['sslrootcert', 'sslcert', 'sslkey'] as const;

/** Finds a file that the address of a database names and that cannot be read; null where all can be read. */
function unreadableFile(address: string): string | null {
  const { searchParams } = URL.canParse(address) ? new URL(address) : { searchParams: new URLSearchParams() };
  for (const parameter of FILES) {
    const file = searchParams.get(parameter);
    try {
      if (file) accessSync(file, constants.R_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return `names the file \`${file}\` as \`${parameter}\`, which cannot be read (${code}).`;
    }
  }
  return null;
}

/** The address of a database with several hosts, as `postgres://me@a:5432,b:5432/shop`, as one for each of them. */
export function addressesOf(address: string): readonly string[] {
  const [whole, start = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(address) ?? [];
  return whole === undefined ? [address] : hosts.split(',').map((host) => `${start}${host}${rest}`);
}

/** The servers of an address, for people: never its password. */
export function serversOf(address: string): string {
  const servers = addressesOf(address).map((one) => {
    if (!URL.canParse(one)) return 'the address of DATABASE_URL';
    const { hostname, port, searchParams } = new URL(one);
    return `${hostname || searchParams.get('host') || 'localhost'}:${port || searchParams.get('port') || 5432}`;
  });
  return servers.join(',');
}

/** Says nothing of the text, which has a password in it. */
export const databaseUrl: Reader<string> = (text) => {
  if (!/^postgres(ql)?:\/\//i.test(text)) return refuse('must begin with `postgres://` or `postgresql://`.');
  const addresses = addressesOf(text);
  if (addresses.every((address) => URL.canParse(address))) {
    const [first = ''] = addresses;
    if (addresses.length > 1 && new URL(first).searchParams.get('target_session_attrs') !== 'read-write')
      return refuse(
        'names several hosts, so it needs `?target_session_attrs=read-write`: the one that takes writes is used.',
      );
    const problem = unreadableFile(first);
    return problem === null ? read(text) : refuse(problem);
  }
  return refuse(
    'cannot be read as an address: it must look like `postgres://user:password@host:5432/database`, with `@ : / ? # %` of a password written as `%40 %3A %2F %3F %23 %25`.',
  );
};

const oneHost: Reader<string> = (text) =>
  addressesOf(text).length === 1
    ? databaseUrl(text)
    : refuse('has an address with several hosts: write one address for each replica, separated by commas.');

/** A comma may be part of a password, so only one in front of another address separates. */
export const databaseUrls: Reader<readonly string[]> = (text) => {
  const readings = text.split(/\s*,\s*(?=postgres(?:ql)?:\/\/)/i).map(oneHost);
  return readings.find((each) => !each.ok) ?? read(readings.flatMap((each) => (each.ok ? [each.value] : [])));
};

/** Says nothing of the text, which has a password in it. */
export const mailUrl: Reader<string> = (text) =>
  /^smtps?:\/\/[^/]/i.test(text) && URL.canParse(text)
    ? read(text)
    : refuse('must look like `smtp://user:password@host:587` or `smtps://user:password@host:465`.');

export const mailAddress: Reader<string> = (text) =>
  /^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(text)
    ? read(text)
    : refuse(`must be an address such as \`shop@example.com\` or \`Shop <shop@example.com>\`, but it is \`${text}\`.`);

export const webAddress: Reader<string> = (text) =>
  /^https?:\/\//i.test(text) && URL.canParse(text)
    ? read(text)
    : refuse(`must be an address that begins with \`https://\` or \`http://\`, but it is \`${text}\`.`);

const SHORTEST_SECRET = 32;

/** HS256 asks for a key of 256 bits at least. */
export const secret: Reader<string> = (text) =>
  Buffer.byteLength(text) >= SHORTEST_SECRET
    ? read(text)
    : refuse(`must have at least ${SHORTEST_SECRET} bytes, but it has ${Buffer.byteLength(text)}.`);

const SHORTEST_CONSOLE_SECRET = 16;

/** A browser sends it in a header, which can have no other characters. */
export const consoleSecret: Reader<string> = (text) => {
  if (!/^[!-~]*$/.test(text)) return refuse('must have only ASCII letters, digits and signs, and no spaces.');
  return text.length >= SHORTEST_CONSOLE_SECRET
    ? read(text)
    : refuse(`must have at least ${SHORTEST_CONSOLE_SECRET} characters, but it has ${text.length}.`);
};

export const plainText: Reader<string> = (text) => read(text);

export const origins: Reader<readonly string[]> = (text) => {
  const parts = text.split(',').map((part) => part.trim());
  const list = parts.filter((part) => part !== '');
  if (list.includes('*'))
    return list.length === 1 ? read(list) : refuse('must be `*` alone or a list of origins, but it has both.');
  const problem = list.map(problemOfOrigin).find((each) => each !== null);
  return problem === undefined || problem === null ? read(list) : refuse(problem);
};

function problemOfOrigin(text: string): string | null {
  const expected = 'must be `*` or origins with commas between them, such as `https://app.example.com`';
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+/i.test(text) || !URL.canParse(text))
    return `${expected}, but \`${text}\` is none.`;
  const { origin } = new URL(text);
  // Browsers send schemes of their own, such as `capacitor://localhost`, as they are.
  const canonical = origin === 'null' ? /^[^/]+\/\/[^/?#]+/.exec(text)?.[0] : origin;
  return canonical === text ? null : `${expected}, but it has \`${text}\`: write \`${canonical}\`.`;
}

/** Where files are kept. */
export type FilesAddress = { readonly kind: 'folder'; readonly folder: string } | BucketAddress;

export interface BucketAddress {
  readonly kind: 'bucket';
  readonly bucket: string;
  /** The address of the bucket, without a slash at its end. */
  readonly address: string;
  readonly region: string;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

export const filesUrl: Reader<FilesAddress> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'file:' && url.hostname === '' && url.pathname !== '/')
    return read({ kind: 'folder', folder: fileURLToPath(url) });
  const bucket = url?.hostname ?? '';
  const endpoint = url?.searchParams.get('endpoint') ?? null;
  const isRight = url?.protocol === 's3:' && BUCKET.test(bucket) && (endpoint === null || webAddress(endpoint).ok);
  if (!isRight || url.password !== '')
    return refuse(
      'must look like `file:///var/files`, `s3://bucket?region=eu-central-1` or `s3://bucket?endpoint=https://…&region=…`.',
    );
  const region = url.searchParams.get('region') ?? 'us-east-1';
  const address =
    endpoint === null ? `https://${bucket}.s3.${region}.amazonaws.com` : `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  return read({ kind: 'bucket', bucket, address, region });
};
