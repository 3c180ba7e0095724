/** `hosts` have no port. A web page of others cannot pretend to be one of them, also through a name that it lets point here. */
export function isOwnHost(host: string | undefined, hosts: readonly string[]): boolean {
  return host !== undefined && hosts.includes(host.toLowerCase().replace(/:\d+$/, ''));
}

/** Whether a page of this very server sends the request. What is sent by no page has no origin. */
export function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
