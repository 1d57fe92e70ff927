import { expect } from 'vitest';
import { contract } from './contract.ts';
import { needs, remove, restart, Shutdowns } from './shutdown-cases.ts';

const options = { needs };

contract(
  'a node that is to be removed loses its shards and gets no new ones while its record stands',
  async (target) => {
    const nodes = new Shutdowns(target);
    await target.index('contract-leaving', { number_of_shards: 4, number_of_replicas: 1 });

    await nodes.put(1, remove);
    const done = await nodes.ends(1, 'COMPLETE');
    expect(done.shard_migration).toMatchObject({ status: 'COMPLETE', shard_migrations_remaining: 0 });
    expect(await nodes.copiesOn(1, 'contract-leaving')).toEqual([]);
    await target.see('still green', 'GET', '/_cluster/health/contract-leaving?wait_for_status=green', {}, health);
    await target.index('contract-newcomer', { number_of_shards: 2, number_of_replicas: 1 });
    expect(await nodes.copiesOn(1, 'contract-newcomer')).toEqual([]);
  },
  options,
);

const health = {
  varying: ['number_of_pending_tasks', 'number_of_in_flight_fetch', 'active_shards_percent_as_number'],
};

contract(
  'allocation explain names the record of a node that is to be removed',
  async (target) => {
    const nodes = new Shutdowns(target);
    await nodes.put(2, remove);
    const settings = { 'index.number_of_replicas': 0, 'index.routing.allocation.require._name': nodes.name(2) };
    target.cleanup(() => target.delete('/contract-refused?ignore_unavailable=true'));
    await target.must('PUT', '/contract-refused?wait_for_active_shards=0', { body: { settings } });

    const { body } = await target.must('POST', '/_cluster/allocation/explain', {
      body: { index: 'contract-refused', shard: 0, primary: true },
    });
    const [leaving] = body.node_allocation_decisions.filter(
      (each: { node_name: string }) => each.node_name === nodes.name(2),
    );
    target.compare('deciders', { status: 200, headers: {}, body: textsOf(leaving.deciders, target.nodes[2]!.id) });
    await nodes.delete(2);
    await target.health('contract-refused');
  },
  options,
);

const textsOf = (deciders: readonly Readonly<Record<string, string>>[], id: string) =>
  deciders.map((each) => ({ ...each, explanation: each.explanation!.replaceAll(id, '<node id>') }));

contract(
  'a record that is put through any node counts for the whole cluster',
  async (target) => {
    const nodes = new Shutdowns(target);
    for (const node of [0, 1, 2]) {
      await target.must('PUT', nodes.path(0), { body: { ...remove, reason: `by node ${node}` }, node });
      for (const asked of [0, 1, 2])
        expect((await target.must('GET', nodes.path(0), { node: asked })).body.nodes[0]).toMatchObject({
          reason: `by node ${node}`,
        });
    }
  },
  options,
);

contract(
  'the shards of a node return once its record is deleted',
  async (target) => {
    const nodes = new Shutdowns(target);
    await target.index('contract-returning', { number_of_shards: 6, number_of_replicas: 0 });
    await nodes.put(1, remove);
    await nodes.ends(1, 'COMPLETE');
    expect(await nodes.copiesOn(1, 'contract-returning')).toEqual([]);

    await nodes.delete(1);
    await target.until('shards', async () => (await nodes.copiesOn(1, 'contract-returning')).length === 2);
  },
  options,
);

contract(
  'a pinned shard stalls its node with the decision of the filter, and goes once it is unpinned',
  async (target) => {
    const nodes = new Shutdowns(target);
    const key = 'index.routing.allocation.require._name';
    await target.index('contract-pinned', { number_of_shards: 1, number_of_replicas: 0, [key]: nodes.name(1) });
    await nodes.put(1, remove);

    const { shard_migration } = await nodes.ends(1, 'STALLED');
    expect(shard_migration.explanation).toMatch(/^shard \[0\] \[primary\] of index \[contract-pinned\] cannot move/);
    const decision = shard_migration.node_allocation_decision!;
    expect(decision).toMatchObject({ can_remain_on_current_node: 'no', can_move_to_other_node: 'no' });
    // The decision itself is the server's: the same as of its allocation explain.
    const { body } = await target.must('POST', '/_cluster/allocation/explain', {
      body: { index: 'contract-pinned', shard: 0, primary: true },
    });
    expect(body).toMatchObject({
      can_remain_decisions: decision.can_remain_decisions,
      move_explanation: decision.move_explanation,
    });
    target.compare('move', { status: 200, headers: {}, body: decision.move_explanation });
    await target.must('PUT', '/contract-pinned/_settings', { body: { [key]: null } });
    await nodes.ends(1, 'COMPLETE');
    expect(await nodes.copiesOn(1, 'contract-pinned')).toEqual([]);
  },
  options,
);

contract(
  'a node is complete when the shards that cannot leave it have copies elsewhere',
  async (target) => {
    const nodes = new Shutdowns(target);
    await target.index('contract-full', { number_of_shards: 1, number_of_replicas: 2 });
    await nodes.put(1, remove);

    expect((await nodes.ends(1, 'COMPLETE')).shard_migration).toMatchObject({
      shard_migrations_remaining: 0,
      explanation: expect.stringMatching(/^\[\d+\] shards cannot be moved away from this node but have at least one/),
    });
    expect(await nodes.copiesOn(1, 'contract-full')).toEqual(['contract-full/0']);
  },
  options,
);

contract(
  'copies on nodes with a record of any type do not stand in for those of a node that is to be removed',
  async (target) => {
    const nodes = new Shutdowns(target);
    await target.index('contract-marked', { number_of_shards: 1, number_of_replicas: 2 });
    await nodes.put(0, restart);
    await nodes.put(2, restart);
    await nodes.put(1, remove);

    const { shard_migration } = await nodes.ends(1, 'STALLED');
    expect(shard_migration.explanation).toMatch(/^shard \[0\] \[\w+\] of index \[[\w.-]+\] cannot move/);
    await nodes.delete(0);
    await nodes.ends(1, 'COMPLETE');
  },
  options,
);

contract(
  'replicas that expand by themselves do not count a node that is to be removed',
  async (target) => {
    const nodes = new Shutdowns(target);
    await target.index('contract-expanding', { number_of_shards: 1, auto_expand_replicas: '0-all' });
    await nodes.put(1, remove);

    await target.see('replicas', 'GET', '/contract-expanding/_settings/index.number_of_replicas');
    await nodes.delete(1);
    await target.see('replicas again', 'GET', '/contract-expanding/_settings/index.number_of_replicas');
  },
  options,
);

contract(
  'a record of a restart changes nothing in the allocation of shards',
  async (target) => {
    const nodes = new Shutdowns(target);
    await target.index('contract-staying', { number_of_shards: 3, number_of_replicas: 1 });
    const before = await nodes.copiesOn(1, 'contract-staying');
    await nodes.put(1, restart);

    expect((await nodes.of(1)).shard_migration).toMatchObject({
      status: 'COMPLETE',
      explanation: 'no shard relocation is necessary for a node restart',
    });
    await target.transport.pass(2_000);
    await target.rest();
    expect(await nodes.copiesOn(1, 'contract-staying')).toEqual(expect.arrayContaining(before));
    await target.see('health', 'GET', '/_cluster/health/contract-staying', {}, health);
  },
  options,
);

contract(
  'without allocation a node whose shards have copies elsewhere is complete and keeps them',
  async (target) => {
    const nodes = new Shutdowns(target);
    const key = 'index.routing.allocation.include._name';
    // Its primary is on the first node: a node that has only replicas keeps them also where primaries may be allocated.
    await target.index('contract-held', { number_of_shards: 1, number_of_replicas: 0, [key]: nodes.name(0) });
    const both = { [key]: `${nodes.name(0)},${nodes.name(1)}`, 'index.number_of_replicas': 1 };
    await target.must('PUT', '/contract-held/_settings', { body: both });
    await target.health('contract-held');
    await target.must('PUT', '/contract-held/_settings', { body: { [key]: null } });
    for (const enable of ['none', 'primaries']) {
      await target.settings({ 'cluster.routing.allocation.enable': enable });
      await nodes.put(1, remove);
      await nodes.ends(1, 'COMPLETE');
      expect(await nodes.copiesOn(1, 'contract-held'), enable).toEqual(['contract-held/0']);
      await nodes.delete(1);
    }
    // The last setting lets the primary go.
    await nodes.put(0, remove);
    await nodes.ends(0, 'COMPLETE');
    expect(await nodes.copiesOn(0, 'contract-held')).toEqual([]);
  },
  options,
);

contract(
  'a node whose shards wait for recoveries of others is in progress, and goes on when they may start',
  async (target) => {
    const nodes = new Shutdowns(target);
    const key = 'index.routing.allocation.include._name';
    const two = { number_of_shards: 1, number_of_replicas: 1, [key]: `${nodes.name(0)},${nodes.name(1)}` };
    await target.index('contract-throttled-two', two);
    await target.must('PUT', '/contract-throttled-two/_settings', { body: { [key]: null } });
    await nodes.only(1, 'contract-throttled');
    await target.settings({ 'cluster.routing.allocation.node_concurrent_recoveries': 0 });
    await nodes.put(1, remove);
    await target.transport.pass(2_000);

    const { status } = await nodes.of(1);
    expect(status).toBe('IN_PROGRESS');
    expect((await nodes.copiesOn(1, 'contract-throttled*')).sort()).toEqual([
      'contract-throttled-two/0',
      'contract-throttled/0',
    ]);
    await target.settings({ 'cluster.routing.allocation.node_concurrent_recoveries': null });
    await target.must('POST', '/_cluster/reroute?metric=none');
    await nodes.ends(1, 'COMPLETE');
    expect(await nodes.copiesOn(1, 'contract-throttled*')).toEqual([]);
  },
  options,
);

contract(
  'the shards of a replaced node go to its target alone, and stall while the target is absent',
  async (target) => {
    const nodes = new Shutdowns(target);
    await nodes.only(1, 'contract-replaced');
    const replace = { type: 'replace', reason: 'contract', target_node_name: 'absent' };
    await nodes.put(1, replace);
    await nodes.ends(1, 'STALLED');

    await nodes.put(1, { ...replace, target_node_name: nodes.name(2) });
    const { status } = await nodes.ends(1, 'COMPLETE');
    expect(status).toBe('COMPLETE');
    expect(await nodes.copiesOn(2, 'contract-replaced')).toEqual(['contract-replaced/0']);
  },
  options,
);

contract(
  'the record of a node that the cluster has never seen is not started',
  async (target) => {
    target.cleanup(() => target.delete('/_nodes/contract-nobody/shutdown'));
    await target.must('PUT', '/_nodes/contract-nobody/shutdown', { body: remove });

    const [record] = (await target.must('GET', '/_nodes/contract-nobody/shutdown')).body.nodes;
    expect(record).toMatchObject({ status: 'NOT_STARTED', shard_migration: { shard_migrations_remaining: 0 } });
  },
  options,
);

contract(
  'records are listed all together, and by the ids that are asked for',
  async (target) => {
    const nodes = new Shutdowns(target);
    await nodes.put(0, restart);
    await nodes.put(2, restart);
    const ids = async (path: string) =>
      ((await target.must('GET', path)).body.nodes as { node_id: string }[]).map((each) => each.node_id).sort();
    const [first, second, third] = target.nodes.map(({ id }) => id) as [string, string, string];

    expect(await ids('/_nodes/shutdown')).toEqual([first, third].sort());
    expect(await ids(`/_nodes/${third}/shutdown`)).toEqual([third]);
    expect(await ids(`/_nodes/${first},${second},${third}/shutdown`)).toEqual([first, third].sort());
    expect(await ids(`/_nodes/${second}/shutdown`)).toEqual([]);
  },
  options,
);

contract(
  'a record is changed by another put, and a restart without a delay begins again each time',
  async (target) => {
    const nodes = new Shutdowns(target);
    const again = async (body: object) => {
      const before = (await nodes.of(1)).shutdown_startedmillis;
      await target.transport.pass(50);
      await nodes.put(1, body);
      return (await nodes.of(1)).shutdown_startedmillis - before;
    };
    await nodes.put(1, restart);
    expect(await nodes.of(1)).toMatchObject({ type: 'RESTART', allocation_delay: '5m' });

    expect(await again(restart)).toBeGreaterThan(0);
    expect(await again({ ...restart, allocation_delay: '7m' })).toBeGreaterThan(0);
    expect(await again({ ...restart, allocation_delay: '7m' })).toBe(0);
    expect((await nodes.of(1)).allocation_delay).toBe('7m');
    expect(await again({ ...remove })).toBeGreaterThan(0);
    expect(await again({ ...remove })).toBe(0);
    expect(await again({ ...remove, reason: 'another' })).toBeGreaterThan(0);
    expect((await nodes.of(1)).allocation_delay).toBeUndefined();
  },
  options,
);

contract(
  'fields that a type of record does not take, or lacks, are refused',
  async (target) => {
    const nodes = new Shutdowns(target);
    const refused = async (body: unknown) => (await target.put(nodes.path(1), body)).status;

    for (const body of [
      { type: 'nope', reason: 'x' },
      { type: 'remove' },
      { reason: 'x' },
      {},
      { ...remove, allocation_delay: '1m' },
      { ...restart, allocation_delay: '1' },
      { ...restart, nope: 1 },
      { type: 'replace', reason: 'x' },
      { type: 'replace', reason: 'x', target_node_name: ' ' },
      { ...remove, target_node_name: 'a' },
      { type: 'sigterm', reason: 'x' },
      { ...remove, grace_period: '1m' },
    ])
      expect(await refused(body), JSON.stringify(body)).toBe(400);
    expect(await refused(undefined)).toBe(400);
    expect((await target.must('GET', nodes.path(1))).body).toEqual({ nodes: [] });
  },
  options,
);

contract(
  'who may only monitor can neither put nor read a record',
  async (target) => {
    const nodes = new Shutdowns(target);
    const as = { username: 'contract-watcher', password: 'contract-watcher' };
    target.cleanup(() => target.delete('/_security/user/contract-watcher'));
    target.cleanup(() => target.delete('/_security/role/contract-watcher'));
    await target.must('PUT', '/_security/role/contract-watcher', { body: { cluster: ['monitor'] } });
    await target.must('PUT', '/_security/user/contract-watcher', {
      body: { password: as.password, roles: ['contract-watcher'] },
    });

    for (const [method, body] of [['PUT', restart], ['GET'], ['DELETE']] as const)
      expect((await target.ask(method, nodes.path(1), { body, as })).status, method).toBe(403);
  },
  { needs: [...needs, 'native users'] },
);

contract(
  'replicas of a node that restarts wait for it as long as its record says, whatever their index says',
  async (target) => {
    const nodes = new Shutdowns(target);
    const stop = { ...restart, allocation_delay: '10m' };
    const body = { 'index.unassigned.node_left.delayed_timeout': '1ms' };
    await target.index('contract-waiting', { number_of_shards: 3, number_of_replicas: 1 });
    await target.must('PUT', '/contract-waiting/_settings', { body });
    await nodes.put(2, stop);
    target.cleanup(async () => {
      await target.transport.oneNode!('start', 2);
      await target.until('the node', async () => (await target.get('/_cluster/health')).body?.number_of_nodes === 3);
    });

    await target.transport.oneNode!('stop', 2);
    await target.until('the node is gone', async () => {
      const { body: seen } = await target.get('/_cluster/health/contract-waiting');
      return seen.number_of_nodes === 2 && seen.unassigned_shards > 0;
    });
    await target.transport.pass(3_000);
    const seen = (await target.must('GET', '/_cluster/health')).body;
    expect(seen).toMatchObject({ status: 'yellow', initializing_shards: 0 });
    expect(seen.delayed_unassigned_shards).toBe(seen.unassigned_shards);
    // Whatever index is asked for, the delayed ones are those of the cluster.
    const { body: one } = await target.must('GET', '/_cluster/health/contract-waiting');
    expect(one.delayed_unassigned_shards).toBe(seen.delayed_unassigned_shards);
    const rows = (await target.must('GET', '/_cat/shards/contract-waiting?format=json&h=shard,state')).body;
    const { shard } = rows.find((row: { state: string }) => row.state === 'UNASSIGNED');
    const explained = await target.must('POST', '/_cluster/allocation/explain', {
      body: { index: 'contract-waiting', shard: Number(shard), primary: false },
    });
    const { can_allocate, unassigned_info } = explained.body;
    const why = { can_allocate, reason: unassigned_info.reason };
    target.compare('why', { status: 200, headers: {}, body: why });
    expect(await nodes.of(2)).toMatchObject({ status: 'COMPLETE' });

    await target.transport.oneNode!('start', 2);
    await target.until('the node is back', async () => {
      const { body: health_ } = await target.get('/_cluster/health/contract-waiting');
      return health_.number_of_nodes === 3 && health_.status === 'green';
    });
    expect(await nodes.copiesOn(2, 'contract-waiting')).not.toEqual([]);
    expect((await nodes.of(2)).type).toBe('RESTART');
  },
  { needs: [...needs, 'nodes of which the suite may stop one'] },
);
