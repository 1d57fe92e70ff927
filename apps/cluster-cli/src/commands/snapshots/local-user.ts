import { userPasswords } from '@drover/adapters/elasticsearch';
import { basicAuth, loginWith, SearchClient } from '@drover/adapters/elasticsearch/client';
import { TerminalError } from '@drover/core';
import { recoveryUser } from '@drover/core/names/search-cluster';
import type { Context } from '../../context.ts';

/** How long a node may take to read its file of users again; it looks every five seconds. */
const userAppearsWithinMs = 60_000;

/**
 * Acts as a superuser of this host's node alone, with a password that no one else learns; the user is gone afterwards.
 */
export async function asLocalUser<T>(context: Context, act: (client: SearchClient) => Promise<T>): Promise<T> {
  const { random, usersTool } = context.io;
  if (usersTool === undefined)
    throw new TerminalError('there is no Elasticsearch on this host', { remedy: 'run it on a search node' });
  const letters = [...'abcdefghijkmnopqrstuvwxyz23456789'];
  const password = Array.from({ length: 32 }, () => random.pick(letters)).join('');
  // One that a run which died has left.
  await usersTool(['userdel', recoveryUser], '').catch(() => {});
  // It asks for the password twice; as an argument every user of the host could read it.
  await usersTool(['useradd', recoveryUser, '-r', 'superuser'], `${password}\n${password}\n`);
  try {
    return await act(await logIn(context, password));
  } finally {
    await usersTool(['userdel', recoveryUser], '');
  }
}

async function logIn(context: Context, password: string): Promise<SearchClient> {
  const { clock } = context.io;
  const login = loginWith([async () => basicAuth(recoveryUser, password)], { anonymousFirst: false });
  const client = new SearchClient({ ...context.searchOptions(), login });
  const deadline = clock.now() + userAppearsWithinMs;
  while (!(await userPasswords(client, context.searchOptions()).letsIn(recoveryUser, password))) {
    if (clock.now() > deadline)
      throw new TerminalError(`the node does not let the user ${recoveryUser} of its file realm in`, {
        remedy: 'see xpack.security.authc.realms in elasticsearch.yml, and run it on the node that --es-host names',
      });
    await clock.sleep(1_000);
  }
  return client;
}
