import type { UserPasswords } from '@drover/search-cluster';
import { SearchClient, type SearchClientOptions } from './client/client.ts';
import { basicAuth, loginWith } from './client/login.ts';

/** Changes passwords with one client's login and tries them with another's. */
export const userPasswords = (client: SearchClient, options: Omit<SearchClientOptions, 'login'>): UserPasswords => ({
  change: async (username, password) => {
    const path = `/_security/user/${encodeURIComponent(username)}/_password`;
    await client.json({ method: 'POST', path, body: JSON.stringify({ password }) });
  },
  letsIn: async (username, password) => {
    const login = loginWith([async () => basicAuth(username, password)], { anonymousFirst: false });
    const asUser = new SearchClient({ ...options, login });
    const { status } = await asUser.text({ method: 'GET', path: '/_security/_authenticate' }, [401]);
    return status !== 401;
  },
});
