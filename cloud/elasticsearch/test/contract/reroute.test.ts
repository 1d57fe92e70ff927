import { expect } from 'vitest';
import { contract } from './contract.ts';
import type { ContractTarget } from './contract-target.ts';

const reroute = '/_cluster/reroute?metric=none';

async function placeOf(target: ContractTarget, index: string, primary = true): Promise<string> {
  const { body } = await target.get(`/_cat/shards/${index}?format=json&h=prirep,node`);
  return (body as { prirep: string; node: string }[]).find(({ prirep }) => prirep === (primary ? 'p' : 'r'))!.node;
}

const otherThan = (target: ContractTarget, ...names: readonly string[]) =>
  target.nodes.find(({ name }) => !names.includes(name))!.name;

contract(
  'reroute moves a shard',
  async (target) => {
    await target.index('contract-move', {
      number_of_shards: 1,
      number_of_replicas: 0,
      'index.routing.rebalance.enable': 'none',
    });
    const from = await placeOf(target, 'contract-move');
    const to = otherThan(target, from);

    const move = { index: 'contract-move', shard: 0, from_node: from, to_node: to };
    await target.see('dry', 'POST', `${reroute}&dry_run=true`, { body: { commands: [{ move }] } });
    expect(await placeOf(target, 'contract-move')).toBe(from);
    await target.see('really', 'POST', reroute, { body: { commands: [{ move }] } });
    await target.health('contract-move');
    expect(await placeOf(target, 'contract-move')).toBe(to);
  },
  { needs: ['three data nodes'] },
);

contract(
  'reroute explains commands on request',
  async (target) => {
    await target.index('contract-explained', {
      number_of_shards: 1,
      number_of_replicas: 0,
      'index.routing.rebalance.enable': 'none',
    });
    const from = await placeOf(target, 'contract-explained');
    const move = { index: 'contract-explained', shard: 0, from_node: from, to_node: from };

    await target.see('onto itself', 'POST', `${reroute}&explain=true&dry_run=true`, { body: { commands: [{ move }] } });
    const away = { ...move, to_node: otherThan(target, from) };
    await target.see('away', 'POST', `${reroute}&explain=true&dry_run=true`, { body: { commands: [{ move: away }] } });
  },
  { needs: ['three data nodes'] },
);

contract(
  'reroute refuses commands that cannot be carried out',
  async (target) => {
    await target.index('contract-refused', {
      number_of_shards: 1,
      number_of_replicas: 0,
      'index.routing.rebalance.enable': 'none',
    });
    const from = await placeOf(target, 'contract-refused');
    const shard = { index: 'contract-refused', shard: 0 };
    const commands: Readonly<Record<string, unknown>> = {
      'onto itself': { move: { ...shard, from_node: from, to_node: from } },
      'from elsewhere': { move: { ...shard, from_node: otherThan(target, from), to_node: from } },
      'to nobody': { move: { ...shard, from_node: from, to_node: 'nobody' } },
      'of no index': { move: { index: 'contract-missing', shard: 0, from_node: from, to_node: from } },
      'of no shard': { move: { ...shard, shard: 9, from_node: from, to_node: otherThan(target, from) } },
      'no node named': { move: shard },
      'cancel a primary': { cancel: { ...shard, node: from } },
      'cancel where it is not': { cancel: { ...shard, node: otherThan(target, from) } },
      'a replica too many': { allocate_replica: { ...shard, node: otherThan(target, from) } },
      'an empty primary over a good one': { allocate_empty_primary: { ...shard, node: from, accept_data_loss: true } },
      'an empty primary without consent': { allocate_empty_primary: { ...shard, node: from } },
      'a stale primary': { allocate_stale_primary: { ...shard, node: from, accept_data_loss: true } },
    };
    for (const [step, command] of Object.entries(commands))
      await target.see(step, 'POST', reroute, { body: { commands: [command] } });
  },
  { needs: ['three data nodes'] },
);

contract(
  'reroute allocates and cancels a replica while allocation is disabled',
  async (target) => {
    await target.index('contract-by-hand', {
      number_of_shards: 1,
      number_of_replicas: 0,
      'index.routing.rebalance.enable': 'none',
    });
    await target.settings({ 'cluster.routing.allocation.enable': 'none' });
    await target.must('PUT', '/contract-by-hand/_settings', { body: { number_of_replicas: 1 } });
    const to = otherThan(target, await placeOf(target, 'contract-by-hand'));
    const replica = { index: 'contract-by-hand', shard: 0, node: to };

    await target.see('allocate', 'POST', reroute, { body: { commands: [{ allocate_replica: replica }] } });
    await target.health('contract-by-hand');
    await target.rest();
    expect(await placeOf(target, 'contract-by-hand', false)).toBe(to);
    await target.see('cancel', 'POST', reroute, { body: { commands: [{ cancel: replica }] } });
    expect((await target.get('/_cluster/health/contract-by-hand')).body.unassigned_shards).toBe(1);
  },
  { needs: ['three data nodes'] },
);

contract('reroute without commands changes nothing', async (target) => {
  await target.see('no body', 'POST', reroute);
  await target.see('no commands', 'POST', reroute, { body: { commands: [] } });
  await target.see('retry', 'POST', `${reroute}&retry_failed=true`);
  await target.see('unknown field', 'POST', reroute, { body: { nope: [] } });
});

contract('reroute without metric=none returns the cluster state and a deprecation warning', async (target) => {
  const { body, headers } = await target.post('/_cluster/reroute?dry_run=true');

  expect(Object.keys(body)).toEqual(['acknowledged', 'state']);
  expect(headers.warning).toContain('The [state] field in the response to the reroute API is deprecated');
});

contract(
  'an allocation exclusion moves every shard off the excluded node',
  async (target) => {
    await target.index('contract-drain', { number_of_shards: 3, number_of_replicas: 1 });
    const { name } = target.nodes.at(-1)!;

    await target.settings({ 'cluster.routing.allocation.exclude._name': name });
    await target.until('the node is empty', async () => {
      const { body } = await target.get('/_cat/shards/contract-drain?format=json&h=node');
      return (body as { node: string }[]).every(({ node }) => node !== null && !node.includes(name));
    });
    expect((await target.health('contract-drain')).body.status).toBe('green');
  },
  { needs: ['three data nodes'] },
);

/** How much the replica of an index copied in its last recovery. */
async function copied(target: ContractTarget, index: string) {
  const { body } = await target.must('GET', `/${index}/_recovery`);
  const replica = body[index].shards.find(({ primary }: { primary: boolean }) => !primary);
  return { type: replica.type, files: replica.index.files.recovered > 0, replayed: replica.translog.recovered };
}

contract(
  'a replica that comes back to its node replays what it missed while its lease is current, and is copied after that',
  async (target) => {
    const index = 'contract-lease';
    await target.index(index, { number_of_shards: 1, number_of_replicas: 1 });
    const write = async (from: number, count: number) => {
      for (let id = from; id < from + count; id++)
        await target.must('PUT', `/${index}/_doc/${id}`, { body: { a: id } });
      await target.must('POST', `/${index}/_flush`);
    };
    const enable = (value: string) =>
      target.must('PUT', `/${index}/_settings`, { body: { 'index.routing.allocation.enable': value } });
    const away = async (act: () => Promise<void>) => {
      const node = await placeOf(target, index, false);
      await enable('none');
      const commands = [{ cancel: { index, shard: 0, node } }];
      await target.must('POST', reroute, { body: { commands } });
      await act();
      await enable('all');
      await target.health(index);
    };
    const see = async (step: string) =>
      target.compare(step, { status: 200, headers: {}, body: await copied(target, index) });

    await write(1, 40);
    // Leases follow what was written every 30 seconds.
    await target.transport.pass(35_000);
    await away(async () => {});
    await see('nothing missed');
    await away(() => write(41, 2));
    await see('two documents missed');
    // More than a tenth of the documents behind the last flush: the timer that renews leases drops this one.
    await away(() => write(43, 30).then(() => target.transport.pass(35_000)));
    await see('thirty documents missed');
  },
  { needs: ['three data nodes'] },
);
