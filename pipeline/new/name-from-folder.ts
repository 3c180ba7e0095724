import { basename, resolve } from 'node:path';

/** Kubernetes allows 63 characters in a label; what is made of the name adds a few. */
const LONGEST = 40;

/**
 * The application is called like its folder, as far as that can name an image, a Kubernetes service and a database
 * alike: small letters, digits and single `-`, a letter first. `My Blog` → `my-blog`.
 */
export function nameFromFolder(folder: string): string {
  const words = basename(resolve(folder))
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '');
  const name = /^[a-z]/.test(words) ? words : `app-${words}`;
  return name.slice(0, LONGEST).replace(/-+$/, '');
}

/** Postgres would want quotes around a `-`. */
export function databaseNameFrom(name: string): string {
  return name.replaceAll('-', '_');
}
