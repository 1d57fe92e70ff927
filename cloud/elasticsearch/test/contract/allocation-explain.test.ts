import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';
import type { Ask } from './transport.ts';

const path = '/_cluster/allocation/explain';

/** Rankings, attributes and times differ between clusters. */
const view = { varying: ['weight_ranking', 'attributes', 'roles', 'at', 'note', 'zone'] };

function explain(target: ContractTarget, step: string, index: string, primary: boolean, query = '', ask: Ask = {}) {
  const body = { index, shard: 0, primary };
  return target.see(step, 'POST', `${path}${query}`, { ...ask, body }, view);
}

/** An index whose shards may stay unassigned. */
async function anywhere(
  target: ContractTarget,
  name: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  target.cleanup(() => target.delete(`/${name}?ignore_unavailable=true`));
  await target.must('PUT', `/${name}?wait_for_active_shards=0`, {
    body: { settings: { number_of_shards: 1, ...settings } },
  });
  await target.until('no shard is looked for', async () => {
    const { body } = await target.get(`/_cluster/health/${name}`);
    return body.number_of_in_flight_fetch === 0;
  });
  await target.rest();
}

contract('allocation explain refuses an index, a shard or a copy that does not exist', async (target) => {
  await target.see('nothing unassigned', 'GET', path);
  await target.see('missing index', 'POST', path, { body: { index: 'contract-missing', shard: 0, primary: true } });
  await target.see('no shard', 'POST', path, { body: { index: 'contract-missing' } });
  await target.see('no primary', 'POST', path, { body: { index: 'contract-missing', shard: 0 } });
  await target.see('unknown field', 'POST', path, { body: { nope: 1 } });
  await target.index('contract-explain-one', { number_of_shards: 1, number_of_replicas: 0 });
  await target.see('no such shard', 'POST', path, { body: { index: 'contract-explain-one', shard: 7, primary: true } });
  await target.see('no replica', 'POST', path, { body: { index: 'contract-explain-one', shard: 0, primary: false } });
});

contract(
  'allocation explain names same_shard for a replica when every node holds a copy',
  async (target) => {
    await anywhere(target, 'contract-explain-copies', { number_of_replicas: 3 });
    await target.health('contract-explain-copies', 'yellow');
    await target.until('three copies', async () => {
      const { body } = await target.get('/_cluster/health/contract-explain-copies');
      return body.active_shards === 3;
    });
    await target.rest();

    await explain(target, 'replica', 'contract-explain-copies', false);
  },
  { needs: ['three data nodes'] },
);

contract(
  'allocation explain names the filter that keeps a primary from every node',
  async (target) => {
    await anywhere(target, 'contract-explain-filter', {
      number_of_replicas: 1,
      'index.routing.allocation.require._name': 'nobody',
    });

    await explain(target, 'primary', 'contract-explain-filter', true);
    await explain(target, 'its replica', 'contract-explain-filter', false);
    await explain(
      target,
      'with the deciders that agree',
      'contract-explain-filter',
      true,
      '?include_yes_decisions=true',
    );
  },
  { needs: ['three data nodes'] },
);

contract(
  'allocation explain names include and exclude filters of an index',
  async (target) => {
    await anywhere(target, 'contract-explain-include', {
      number_of_replicas: 0,
      'index.routing.allocation.include.zone': 'x,y',
    });
    await anywhere(target, 'contract-explain-exclude', {
      number_of_replicas: 0,
      'index.routing.allocation.exclude._name': '*',
    });

    await explain(target, 'include', 'contract-explain-include', true);
    await explain(target, 'exclude', 'contract-explain-exclude', true);
  },
  { needs: ['three zones'] },
);

contract(
  'allocation explain names the setting that disables allocation',
  async (target) => {
    await anywhere(target, 'contract-explain-index-off', {
      number_of_replicas: 0,
      'index.routing.allocation.enable': 'none',
    });
    await explain(target, 'for the index', 'contract-explain-index-off', true);

    await target.settings({ 'cluster.routing.allocation.enable': 'none' });
    await anywhere(target, 'contract-explain-off', { number_of_replicas: 0 });
    await explain(target, 'for the cluster', 'contract-explain-off', true);
  },
  { needs: ['three data nodes'] },
);

contract(
  'allocation explain names an awareness attribute that no node has',
  async (target) => {
    await target.settings({ 'cluster.routing.allocation.awareness.attributes': 'contract-rack' });
    await anywhere(target, 'contract-explain-awareness', { number_of_replicas: 0 });

    await explain(target, 'primary', 'contract-explain-awareness', true);
  },
  { needs: ['three data nodes'] },
);

contract(
  'allocation explain names forced awareness when a zone holds its copies already',
  async (target) => {
    await target.settings({
      'cluster.routing.allocation.awareness.attributes': 'zone',
      'cluster.routing.allocation.awareness.force.zone.values': target.nodes[0]!.zone,
    });
    const two = target.nodes
      .slice(0, 2)
      .map(({ name }) => name)
      .join(',');
    await anywhere(target, 'contract-explain-zones', {
      number_of_replicas: 3,
      'index.routing.allocation.exclude._name': two,
    });
    await target.health('contract-explain-zones', 'yellow');
    await target.rest();

    await target.see(
      'replica',
      'POST',
      path,
      { body: { index: 'contract-explain-zones', shard: 0, primary: false } },
      {
        as: 'shape',
        dictionaries: ['node_attributes'],
      },
    );
  },
  { needs: ['three zones'] },
);

contract(
  'allocation explain names the limit of shards per node',
  async (target) => {
    await anywhere(target, 'contract-explain-limit', {
      number_of_shards: 4,
      number_of_replicas: 0,
      'index.routing.allocation.total_shards_per_node': 1,
    });
    const { body: shards } = await target.get('/_cat/shards/contract-explain-limit?format=json&h=shard,state');
    const left = (shards as { shard: string; state: string }[]).find(({ state }) => state === 'UNASSIGNED')!;

    const body = { index: 'contract-explain-limit', shard: Number(left.shard), primary: true };
    await target.see('the fourth', 'POST', path, { body }, { varying: [...view.varying, 'shard'] });
  },
  { needs: ['three data nodes'] },
);

contract(
  'allocation explain describes a started shard that may stay on its node',
  async (target) => {
    await target.index('contract-explain-started', { number_of_shards: 1, number_of_replicas: 1 });

    await explain(target, 'shape of a primary', 'contract-explain-started', true);
  },
  { needs: ['three data nodes'] },
);
