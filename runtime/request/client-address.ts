/** The address of the client, as far as it can be known. */
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';

/**
 * The address of the client. `proxies` is the number of proxies in front: each has added the source of its request to
 * `X-Forwarded-For`. An entry that is not an address keeps its place, because the client can make up the ones before
 * it: the address of the connection is used instead. Empty where the connection is closed and no entry is used.
 */
export function clientAddress({ headers, socket }: IncomingMessage, proxies: number): string {
  const connected = socket.remoteAddress ?? '';
  if (proxies === 0) return plainAddress(connected);
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  const entry = forwarded.at(-proxies) ?? (forwarded[0] as string);
  return plainAddress(addressIn(entry) || connected);
}

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::1]:4711`. Empty for what is no address. */
function addressIn(text: string): string {
  const trimmed = text.trim();
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? trimmed.replace(/^([\d.]+):\d+$/, '$1');
  return isIP(bare) === 0 ? '' : bare;
}

/** Prints IPv4 in its own form, even if it came as a part of IPv6, and without a zone. */
function plainAddress(address: string): string {
  const bare = address.replace(/%.*$/, '').toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1];
  return mapped ?? bare;
}

/** A customer of an IPv6 network has 2^64 addresses or more, so that they count as one. */
export function networkOf(address: string): string {
  return isIPv4(address) || !address.includes(':') ? address : `${firstGroups(address).join(':')}::/64`;
}

/**
 * The network that a limit counts for. Without TRUST_PROXY, a private address is probably a proxy's, shared by all clients:
 * it is null, and has no limit of its own.
 */
export function countedNetwork(address: string, proxies: number): string | null {
  return proxies === 0 && isPrivateAddress(address) ? null : networkOf(address);
}

const GROUPS = 8;

function firstGroups(address: string): readonly string[] {
  const [head = '', tail = ''] = address.split('::');
  const [left, right] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const missing = Math.max(0, GROUPS - (left?.length ?? 0) - (right?.length ?? 0));
  const all = address.includes('::') ? [...(left ?? []), ...Array(missing).fill('0'), ...(right ?? [])] : (left ?? []);
  return all.slice(0, GROUPS / 2).map((group) => Number.parseInt(group, 16).toString(16));
}

/** Whether the address is of this machine or of a network behind a router, where a proxy usually is. */
export function isPrivateAddress(address: string): boolean {
  if (!isIPv4(address)) return /^(::1$|f[cd]|fe[89ab])/.test(address) || address === '';
  return /^(10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(address);
}
