import type { UserPasswords } from '@drover/search-cluster';
import { SearchClient, type SearchClientOptions } from './client/client.ts';
import { basicAuth, loginWith } from './client/login.ts';

/** Changes passwords with one client's login and tries them with another's. */
export const userPasswords = (client: SearchClient, options: Omit<SearchClientOptions, 'login'>): UserPasswords => ({
  change: async (username, password) => await change(client, username, password),
  store: async (username, password) => {
    await change(asUser(options, username, password), username, password);
  },
  letsIn: async (username, password) => {
    const path = '/_security/_authenticate';
    const { status } = await asUser(options, username, password).text({ method: 'GET', path }, [401]);
    return status !== 401;
  },
});

/** All masters settle a new cluster within the same seconds: each of two others may be in the way once. */
const conflictsAllowed = 4;

/** Elasticsearch answers 409 when somebody else writes the same user at the same moment; then it is done again. */
async function change(client: SearchClient, username: string, password: string): Promise<void> {
  const path = `/_security/user/${encodeURIComponent(username)}/_password`;
  const request = { method: 'POST', path, body: JSON.stringify({ password }) };
  for (let conflicts = 0; conflicts < conflictsAllowed; conflicts++) {
    const { status } = await client.text(request, [409]);
    if (status !== 409) return;
  }
  await client.text(request);
}

const asUser = (options: Omit<SearchClientOptions, 'login'>, username: string, password: string) =>
  new SearchClient({
    ...options,
    login: loginWith([async () => basicAuth(username, password)], { anonymousFirst: false }),
  });
