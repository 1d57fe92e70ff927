import type { ServiceTokens, UserPasswords } from '@drover/search-cluster/ports';
import { SearchClient, type SearchClientOptions } from './client/client.ts';
import { basicAuth, loginWith } from './client/login.ts';

/** Changes passwords with one client's login and tries them with another's. */
export const userPasswords = (client: SearchClient, options: Omit<SearchClientOptions, 'login'>): UserPasswords => ({
  change: async (username, password) => await change(client, username, password),
  store: async (username, password) => {
    await change(asUser(options, username, password), username, password);
  },
  put: async (username, password, roles) => {
    const path = `/_security/user/${encodeURIComponent(username)}`;
    await client.json({ method: 'PUT', path, body: JSON.stringify({ password, roles }) });
  },
  letsIn: (username, password) => isLetIn(asUser(options, username, password)),
});

/** All masters settle a new cluster within the same seconds: each of two others may be in the way once. */
const conflictsAllowed = 4;

/**
 * Elasticsearch returns 409 when another client writes the same user at the same moment; then the change is repeated.
 */
async function change(client: SearchClient, username: string, password: string): Promise<void> {
  const path = `/_security/user/${encodeURIComponent(username)}/_password`;
  const request = { method: 'POST', path, body: JSON.stringify({ password }) };
  for (let conflicts = 0; conflicts < conflictsAllowed; conflicts++) {
    const { status } = await client.text(request, [409]);
    if (status !== 409) return;
  }
  await client.text(request);
}

const isLetIn = async (client: SearchClient): Promise<boolean> =>
  (await client.text({ method: 'GET', path: '/_security/_authenticate' }, [401])).status !== 401;

const asUser = (options: Omit<SearchClientOptions, 'login'>, username: string, password: string) =>
  new SearchClient({
    ...options,
    login: loginWith([async () => basicAuth(username, password)], { anonymousFirst: false }),
  });

const kibanaCredentials = '/_security/service/elastic/kibana/credential';
const tokenPath = (name: string) => `${kibanaCredentials}/token/${encodeURIComponent(name)}`;

/** Tokens of Kibana's service account; each is tried with a client of its own. */
export const serviceTokens = (client: SearchClient, options: Omit<SearchClientOptions, 'login'>): ServiceTokens => ({
  create: async (name) => {
    const request = { method: 'POST', path: tokenPath(name) };
    const { token } = await client.json<{ token: { value: string } }>(request);
    return token.value;
  },
  letsIn: (token) => {
    const login = loginWith([async () => `Bearer ${token}`], { anonymousFirst: false });
    return isLetIn(new SearchClient({ ...options, login }));
  },
  names: async () => {
    const { tokens } = await client.json<{ tokens: object }>({ method: 'GET', path: kibanaCredentials });
    return Object.keys(tokens);
  },
  delete: async (name) => {
    await client.text({ method: 'DELETE', path: tokenPath(name) }, [404]);
  },
});
