/** Which addresses a webhook may be sent to. Those of this machine, of its networks and of no single computer are not among them. */
import { promises as dns, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { DeliveryError } from './delivery-error.ts';

/** The registries of special addresses of the IANA. */
const SPECIAL = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
  192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  2001::/23 2001:db8::/32 2002::/16 3fff::/20`;

const REFUSED = new BlockList();
for (const [, network = '', bits] of SPECIAL.matchAll(/(\S+)\/(\d+)/g))
  REFUSED.addSubnet(network, Number(bits), network.includes(':') ? 'ipv6' : 'ipv4');

/** All other addresses of version 6 are local, for groups, or stand for one of version 4. */
const GLOBAL = new BlockList();
GLOBAL.addSubnet('2000::', 3, 'ipv6');

export function isPublic(address: string): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  return !REFUSED.check(address, family) && (family === 'ipv4' || GLOBAL.check(address, family));
}

/** Finds all addresses of a name. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

/** Asks the name servers, without the threads of the system's own look-up: names that hang would hold up the others. */
export const resolveName: Resolve = async (name) => {
  const resolver = new dns.Resolver({ timeout: 3000, tries: 2 });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
  return found;
};

/** The look-up of a connection, which then uses what was checked here: the name is looked up once. */
export function checkedLookup(resolve: Resolve): LookupFunction {
  return (name, { all }, callback) => {
    resolve(name).then(
      (found) => {
        const [first] = found;
        if (!first) return callback(notFound(name), '');
        if (!found.every(({ address }) => isPublic(address))) return callback(refusal(), '');
        return all ? callback(null, [...found]) : callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

export function refusal(): DeliveryError {
  return new DeliveryError('the address of the receiver is not public');
}

function notFound(name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' });
}
