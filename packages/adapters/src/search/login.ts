/** Who we are to Elasticsearch. Credentials are tried one after another, each fetched only when it is needed. */
export interface Login {
  /** The `authorization` header to send now; undefined for none. */
  header(): Promise<string | undefined>;
  /** The header was refused with this status; answers whether there is something else to try. */
  refused(status: number): Promise<boolean>;
}

/** The header of basic authentication. */
export const basicAuth = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** One way to log in; undefined when there is none of this kind. */
export type Credential = () => Promise<string | undefined>;

/**
 * Tries the given ways in their order. With `anonymousFirst` nothing is sent at first: monitoring works without a
 * password for the anonymous role, and saves fetching one. An anonymous user is refused with 401, or with 403 when the
 * server has `authz_exception` on.
 */
export function loginWith(ways: readonly Credential[], options: { readonly anonymousFirst: boolean }): Login {
  let at = options.anonymousFirst ? -1 : 0;
  let current: Promise<string | undefined> | undefined;
  const next = async (): Promise<boolean> => {
    while (++at < ways.length) {
      current = ways[at]!();
      if ((await current) !== undefined) return true;
    }
    return false;
  };
  return {
    header: async () => {
      if (at < 0) return undefined;
      current ??= ways[at]?.();
      return await current;
    },
    refused: async (status) => (status === 401 || (status === 403 && at < 0) ? await next() : false),
  };
}
