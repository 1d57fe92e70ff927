/** Host and port of an authority as a URL writes it; the brackets of an IPv6 address are left out. */
export function hostAndPort(authority: string): { host: string; port: string | undefined } {
  const match = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(authority);
  return { host: match?.[1] ?? match?.[2] ?? authority, port: match?.[3] };
}
