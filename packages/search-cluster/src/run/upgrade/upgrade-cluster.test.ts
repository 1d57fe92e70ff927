import { SeededRandom, TerminalError, TransientError, VirtualClock } from '@drover/core';
import { expect, it } from 'vitest';
import { copy, health, minute, voting } from '../../decide/facts.test-support.ts';
import type { UpgradeIntent } from '../../decide/upgrade/upgrade-step.ts';
import type { ClusterHealth } from '../../model/health.ts';
import { type UpgradeRun, upgradeCluster } from './upgrade-cluster.ts';

const to = '9.5.3';
const request = { to, skip: [], waitMs: 24 * 60 * minute };

/** Three masters and two data nodes; a command upgrades its node within minutes, regardless of its sender's fate. */
class FakeCluster {
  readonly clock = new VirtualClock();
  readonly nodes = ['m1', 'm2', 'm3', 'd1', 'd2'].map((id) => ({
    id,
    name: id,
    ip: id,
    roles: id.startsWith('m') ? ['master'] : ['data'],
    version: '8.19.21',
  }));
  readonly order: string[] = [];
  readonly commands = new Map<string, 'running' | 'succeeded' | 'failed'>();
  intent: UpgradeIntent | undefined;
  readonly snapshots = new Map<string, { state: 'IN_PROGRESS' | 'SUCCESS'; endedAt: number }>();
  health: ClusterHealth = health();
  fails: string | undefined;
  snapshotMs = 10_000;
  calls = 0;

  /** A run that dies at a call, just before or just after it. */
  run(dies?: { readonly at: number; readonly phase: 'before' | 'after' }): UpgradeRun {
    const call = async <T>(act: () => T): Promise<T> => {
      const here = this.calls++ === dies?.at;
      if (here && dies.phase === 'before') throw new TerminalError('died');
      const value = act();
      if (here) throw new TerminalError('died');
      return value;
    };
    return {
      clock: this.clock,
      random: new SeededRandom(1),
      groups: ['search', 'search-data'],
      repository: 'backups',
      search: {
        health: { health: () => call(() => this.health) },
        records: { list: () => call(() => []) } as never,
        voting: { read: () => call(() => voting()) } as never,
        shards: { shards: () => call(() => [copy('logs', 'd1'), copy('logs', 'd2', { primary: false })]) },
        upgrade: {
          nodes: () => call(() => this.nodes.map((node) => ({ ...node }))),
          obstacles: () => call(() => ({ criticalDeprecations: [], featuresToMigrate: [], diskSymptom: undefined })),
        },
        snapshots: {
          start: (_repository, name) => call(() => this.#takeSnapshot(name)),
          get: async (_repository, name) => {
            const found = await call(() => this.snapshots.get(name));
            if (found === undefined) throw Object.assign(new TerminalError('none'), { status: 404 });
            return { name, ...found, indices: [], failures: [] };
          },
        },
      },
      instances: {
        groupsOf: () => Promise.resolve([]),
        ofGroups: () =>
          call(() => this.nodes.map(({ id }) => ({ instanceId: `i-${id}`, privateIp: id, tags: {} }) as never)),
        lastTerminationAt: async () => undefined,
        terminatingSince: async () => 0,
      },
      intents: {
        read: () => call(() => this.intent),
        create: (intent) =>
          call(() => {
            if (this.intent !== undefined) return false;
            this.intent = intent;
            return true;
          }),
      },
      commands: {
        agents: async (ids) => new Map(ids.map((id) => [id, 'Online'])),
        send: (instanceId) => call(() => this.#send(instanceId)),
        start: (instanceId) => call(() => this.#send(instanceId)),
        state: (_instanceId, id) => call(() => ({ state: this.commands.get(id)!, output: 'refused (not-green)' })),
      },
      onWait: () => {},
      onAction: () => {},
    };
  }

  #takeSnapshot(name: string): void {
    if (this.snapshots.has(name)) throw new TransientError('it exists');
    this.snapshots.set(name, { state: 'IN_PROGRESS', endedAt: 0 });
    this.clock.after(this.snapshotMs, () => this.snapshots.set(name, { state: 'SUCCESS', endedAt: this.clock.now() }));
  }

  #send(instanceId: string): string {
    const node = this.nodes.find(({ id }) => instanceId === `i-${id}`)!;
    const running = [...this.commands].find(([name, state]) => name.startsWith(node.id) && state === 'running');
    if (running !== undefined) return running[0];
    const id = `${node.id}-${this.commands.size}`;
    this.order.push(node.id);
    this.commands.set(id, 'running');
    this.clock.after(20_000, () => {
      const failed = this.fails === node.id;
      if (!failed) node.version = to;
      this.commands.set(id, failed ? 'failed' : 'succeeded');
    });
    return id;
  }

  async settle<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const end = () => {
      done = true;
    };
    work.then(end, end);
    await this.clock.runUntil(() => done, request.waitMs);
    return await work;
  }
}

it('an upgrade takes a snapshot, then every node in its order, one at a time', async () => {
  const cluster = new FakeCluster();
  const end = await cluster.settle(upgradeCluster(cluster.run(), request));
  expect(end).toMatchObject({ kind: 'done', outcome: { kind: 'upgraded' } });
  expect(cluster.order).toEqual(['d1', 'd2', 'm1', 'm2', 'm3']);
  expect(cluster.intent).toMatchObject({ from: '8.19.21', to, snapshot: `before-upgrade-${to}` });
});

it('an upgrade that goes on days after it was blocked takes its snapshot again before the first node, and not after it', async () => {
  const cluster = new FakeCluster();
  cluster.health = health({ status: 'red', unassignedShards: 1 });
  const first = `before-upgrade-${to}`;
  cluster.intent = { from: '8.19.21', to, snapshot: first, startedAt: '' };
  cluster.snapshots.set(first, { state: 'SUCCESS', endedAt: cluster.clock.now() });
  expect(await cluster.settle(upgradeCluster(cluster.run(), request))).toMatchObject({ outcome: { kind: 'blocked' } });
  await cluster.clock.advance(3 * 24 * 60 * minute);
  cluster.health = health();
  cluster.fails = 'd2';
  await cluster.settle(upgradeCluster(cluster.run(), request));
  expect([...cluster.snapshots.keys()]).toEqual([first, `${first}-2`]);
  await cluster.clock.advance(3 * 24 * 60 * minute);
  cluster.fails = undefined;
  expect(await cluster.settle(upgradeCluster(cluster.run(), request))).toMatchObject({ outcome: { kind: 'upgraded' } });
  expect(cluster.snapshots.size).toBe(2);
});

it('a snapshot that takes ten hours is taken once', async () => {
  const cluster = new FakeCluster();
  cluster.snapshotMs = 10 * 60 * minute;
  const end = await cluster.settle(upgradeCluster(cluster.run(), { ...request, waitMs: 24 * 60 * minute }));
  expect(end).toMatchObject({ kind: 'done', outcome: { kind: 'upgraded' } });
  expect(cluster.snapshots.size).toBe(1);
});

it('an upgrade whose driver dies at any call is finished by the next run', async () => {
  const whole = new FakeCluster();
  await whole.settle(upgradeCluster(whole.run(), request));
  for (let at = 0; at < whole.calls; at++)
    for (const phase of ['before', 'after'] as const) {
      const cluster = new FakeCluster();
      await expect(cluster.settle(upgradeCluster(cluster.run({ at, phase }), request))).rejects.toThrow('died');
      const end = await cluster.settle(upgradeCluster(cluster.run(), request));
      expect(end, `${phase} call ${at}`).toMatchObject({ kind: 'done', outcome: { kind: 'upgraded' } });
      expect(cluster.order, `${phase} call ${at}`).toEqual(['d1', 'd2', 'm1', 'm2', 'm3']);
    }
});

it('an upgrade stops at a node that does not come back and goes on with the next run', async () => {
  const cluster = new FakeCluster();
  cluster.fails = 'd2';
  const end = await cluster.settle(upgradeCluster(cluster.run(), request));
  expect(end).toMatchObject({ outcome: { kind: 'blocked', blockers: [{ check: 'node-returned' }] } });
  expect(cluster.order).toEqual(['d1', 'd2']);
  cluster.fails = undefined;
  expect(await cluster.settle(upgradeCluster(cluster.run(), request))).toMatchObject({ outcome: { kind: 'upgraded' } });
});

it('an upgrade stops as soon as the cluster is red', async () => {
  const cluster = new FakeCluster();
  cluster.clock.after(40_000, () => {
    cluster.health = health({ status: 'red', unassignedShards: 1 });
  });
  const end = await cluster.settle(upgradeCluster(cluster.run(), request));
  expect(end).toMatchObject({ outcome: { kind: 'blocked', blockers: [{ check: 'green-or-yellow' }] } });
  expect(cluster.order.length).toBeLessThan(3);
});
