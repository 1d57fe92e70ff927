/** Our credentials for Elasticsearch. They are tried one after another, each fetched only when it is needed. */
export interface Login {
  /** The `authorization` header to send now; undefined for none. */
  header(): Promise<string | undefined>;
  /** The header was refused with this status. Returns whether there is another credential to try. */
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
 * server has `authz_exception` on. A run may last for days: a refused credential is fetched again, because the password
 * may have been changed, and so is one that could not be fetched.
 */
export function loginWith(ways: readonly Credential[], options: { readonly anonymousFirst: boolean }): Login {
  const refused = new Set<string>();
  let anonymous = options.anonymousFirst;
  let held: string | undefined;
  const fetchNext = async (): Promise<string | undefined> => {
    for (const way of ways) {
      const header = await way();
      if (header !== undefined && !refused.has(header)) return header;
    }
    return undefined;
  };
  return {
    header: async () => {
      if (!anonymous) held ??= await fetchNext();
      return held;
    },
    refused: async (status) => {
      if (status !== 401 && !(status === 403 && anonymous)) return false;
      anonymous = false;
      if (held !== undefined) refused.add(held);
      held = await fetchNext();
      // The next caller starts over: a node that is starting refuses a password that it accepts a minute later.
      if (held === undefined) refused.clear();
      return held !== undefined;
    },
  };
}
