import { describe, expect, it } from 'vitest';
import type { SearchClient } from './client/client.ts';
import { upgradeReader } from './upgrade.ts';

const info = (name: string) => ({ name, ip: `ip-${name}`, roles: ['master'], version: '8.19.21' });
const cluster = { a: info('a'), b: info('b') };

/** A load balancer over nodes: each request goes to the next one, which knows these nodes. */
function reading(...views: readonly Record<string, ReturnType<typeof info>>[]) {
  let asked = 0;
  const get = async (path: string) => {
    const nodes = views[asked++ % views.length]!;
    return { nodes: path.startsWith('/_nodes') ? nodes : cluster };
  };
  return upgradeReader({ get } as unknown as SearchClient).nodes();
}

describe('upgradeReader', () => {
  it('an upgrade reads the nodes of the cluster, although a node outside of it responds first', async () => {
    expect((await reading({ alone: info('alone') }, cluster, cluster)).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('an upgrade knows no nodes when only a node outside of the cluster responds', async () => {
    await expect(reading({ alone: info('alone') })).rejects.toThrow('node alone responds, and is not in the cluster');
  });
});
