import { SeededRandom, TransientError, VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { dataNodes, hook, member, record, recovery, topology, voting } from '../../decide/facts.test-support.ts';
import type { GroupMember } from '../../model/lifecycle.ts';
import type { ShutdownRecord } from '../../model/shutdown.ts';
import type { HookAnswer } from '../../ports.ts';
import { drainThisHost, type HostDrainRequest, type HostDrainRun } from './drain-this-host.ts';

interface Host {
  /** The target state in the instance's metadata; an error outside AWS. */
  readonly target?: string | undefined | Error;
  readonly member?: GroupMember | undefined;
  readonly records?: readonly ShutdownRecord[];
  readonly heartbeat?: HookAnswer | Error;
  readonly locked?: boolean;
  /** Why Elasticsearch cannot be read. */
  readonly searchError?: Error;
  readonly signal?: AbortSignal;
}

/** The host of data node d1 in a healthy cluster. Every call that could change something is written down in order. */
function host(facts: Host) {
  const calls: string[] = [];
  const said: string[] = [];
  let records = [...(facts.records ?? [])];
  const read = async <T>(value: T): Promise<T> => {
    if (facts.searchError !== undefined) throw facts.searchError;
    return value;
  };
  const run = {
    clock: new VirtualClock(),
    random: new SeededRandom(1),
    ...(facts.signal === undefined ? {} : { signal: facts.signal }),
    search: {
      topology: { topology: () => read(topology()), localNodeId: () => read('d1') },
      records: {
        list: () => read(records),
        register: async (nodeId: string, reason: string) => {
          calls.push(`register ${nodeId} ${reason}`);
          records = [...records.filter((one) => one.nodeId !== nodeId), record(nodeId, { reason, status: 'COMPLETE' })];
        },
        registerRestart: async () => {},
        withdraw: async (nodeId: string) => void calls.push(`withdraw ${nodeId}`),
      },
      health: { health: () => read({ clusterName: 'search', status: 'green' }) },
      voting: { read: () => read(voting()) },
      shards: { shards: () => read([]) },
      disks: {
        disks: () => read([]),
        settings: () =>
          read({ enabled: false, low: undefined, lowMaxHeadroom: undefined, forcedZones: [], ...recovery }),
      },
      explainer: { explain: () => read([]) },
    },
    aws: {
      membership: {
        memberOf: async () => {
          calls.push('memberOf');
          return facts.member;
        },
      },
      hook: {
        describe: async () => hook({ startedAt: 0 }),
        heartbeat: async () => {
          calls.push('heartbeat');
          if (facts.heartbeat instanceof Error) throw facts.heartbeat;
          return facts.heartbeat ?? 'accepted';
        },
        complete: async (_member: GroupMember, _name: string, result: string) => {
          calls.push(`complete ${result}`);
          return 'accepted';
        },
      },
    },
    metadata: {
      targetLifecycleState: async () => {
        if (facts.target instanceof Error) throw facts.target;
        return facts.target;
      },
      instanceId: async () => 'i-d1',
    },
    lock: {
      acquire: async (name: string) => {
        calls.push(`lock ${name}`);
        return facts.locked === true ? undefined : { release: async () => void calls.push('release') };
      },
    },
    report: {
      onWait: () => {},
      onAction: () => {},
      onWarning: (what: string) => void said.push(what),
      onDetail: (what: string) => void said.push(what),
    },
  } as unknown as HostDrainRun;
  const drain = async (request: Partial<HostDrainRequest> = {}) => {
    const ended = drainThisHost(run, {
      node: undefined,
      reason: 'test',
      waitMs: 60_000,
      hookName: 'terminating',
      completeHook: false,
      allowTimeout: false,
      termination: undefined,
      dryRun: false,
      ...request,
    });
    let settled = false;
    const watch = ended.then(
      () => {
        settled = true;
      },
      () => {
        settled = true;
      },
    );
    for (let step = 0; step < 1000 && !settled; step++) await (run.clock as VirtualClock).advance(1000);
    await watch;
    return await ended;
  };
  return { drain, calls, said };
}

const waiting = { kind: 'waiting', member: member() } as const;
const retained = { kind: 'retained', member: member({ lifecycleState: 'Terminating:Retained' }) } as const;
const noMetadata = new TransientError('cannot reach the instance metadata service');

describe("the host's lock", () => {
  it('a second drain of the same node on one host does nothing', async () => {
    const { drain, calls } = host({ locked: true });

    expect(await drain({ termination: waiting })).toEqual({ kind: 'already-running' });
    expect(calls).toEqual(['lock decommission-node/local']);
  });

  it('the lock is released when the drain has ended, and when it failed', async () => {
    const done = host({ target: undefined });
    await done.drain({ node: 'data-2' });
    const failed = host({ searchError: new Error('broken') });
    await expect(failed.drain()).rejects.toThrow('broken');

    expect([done.calls[0], done.calls.at(-1)]).toEqual(['lock decommission-node/data-2', 'release']);
    expect(failed.calls.at(-1)).toBe('release');
  });

  it('a dry run takes no lock, sends no heartbeat and registers nothing', async () => {
    const { drain, calls } = host({ target: 'Terminated', member: member() });

    expect(await drain({ dryRun: true, termination: waiting })).toMatchObject({
      kind: 'forecast',
      step: { actions: [{ kind: 'register-shutdown' }, { kind: 'heartbeat' }] },
    });
    expect(calls).toEqual([]);
  });
});

describe('the termination hook of a waiting instance', () => {
  it('the termination hook is kept alive before Elasticsearch is read, and once more when reading fails', async () => {
    const { drain, calls } = host({ searchError: new Error('broken') });

    await expect(drain({ termination: waiting })).rejects.toThrow('broken');
    expect(calls).toEqual(['lock decommission-node/local', 'heartbeat', 'heartbeat', 'release']);
  });

  it('a heartbeat that fails is a warning, and the drain goes on', async () => {
    const { drain, calls, said } = host({ heartbeat: new Error('Rate exceeded') });

    expect(await drain({ termination: waiting, completeHook: true })).toMatchObject({ outcome: { kind: 'drained' } });
    expect(calls).toContain('complete CONTINUE');
    expect(said[0]).toBe('heartbeat failed: Rate exceeded');
  });

  it('the termination hook is completed only with --complete-lifecycle-action', async () => {
    const { drain, calls } = host({});

    expect(await drain({ termination: waiting })).toMatchObject({ kind: 'ended', outcome: { kind: 'drained' } });
    expect(calls.filter((call) => call.startsWith('complete'))).toEqual([]);
  });

  it('cannot be completed for a node on another host', async () => {
    const { drain, calls } = host({ target: 'Terminated', member: member() });

    expect(await drain({ node: 'data-2', completeHook: true })).toEqual({ kind: 'hook-elsewhere' });
    expect(calls.filter((call) => call.startsWith('register'))).toEqual([]);
  });
});

describe('a retained instance', () => {
  it.each([
    [
      'its record no longer holds the lease',
      [record('d1', { reason: 'refresh' })],
      ['register d1 refresh [gave up: retained]'],
    ],
    ['a record that has given up is left alone', [record('d1', { reason: 'refresh [gave up: stalled]' })], []],
    ['records of other nodes are left alone', [record('d2')], []],
  ])('stands aside: %s', async (_title, records, expected) => {
    const { drain, calls } = host({ records });

    expect(await drain({ termination: retained })).toEqual({ kind: 'retained', instanceId: 'i-d1' });
    expect(calls.filter((call) => !/lock|release/.test(call))).toEqual(expected);
  });
});

describe('a drain by hand', () => {
  it.each<readonly [string, string | undefined, boolean, readonly string[]]>([
    ['an instance in service: AWS is not asked', 'InService', false, []],
    ['an instance in service whose hook is to be completed: its group is asked', 'InService', true, ['memberOf']],
    [
      'a terminating instance: its group is asked, and its hook kept open',
      'Terminated',
      false,
      ['memberOf', 'heartbeat'],
    ],
    ['an instance in no group: AWS is not asked', undefined, true, []],
  ])('looks at the membership of %s', async (_title, target, completeHook, expected) => {
    const waits = target === 'Terminated' ? member() : member({ lifecycleState: 'InService' });
    const { drain, calls } = host({ target, member: waits });

    await drain({ completeHook });

    expect(calls.slice(1, 1 + expected.length)).toEqual(expected);
    expect(calls.filter((call) => call === 'memberOf').length).toBe(expected.includes('memberOf') ? 1 : 0);
  });

  it('works outside AWS, unless a hook is to be completed', async () => {
    const outside = host({ target: noMetadata });

    expect(await outside.drain()).toMatchObject({ kind: 'ended', outcome: { kind: 'drained' } });
    expect(outside.said[0]).toContain('not on an instance');
    await expect(outside.drain({ completeHook: true })).rejects.toThrow(noMetadata);
  });

  it.each([
    ['the node of this host, in service', {}, {}, true],
    [
      'the node of this host, while its instance waits to terminate',
      { target: 'Terminated', member: member() },
      {},
      false,
    ],
    ['another node without a record', {}, { node: 'data-2' }, true],
    ['another node that another command drains', { records: [record('d2')] }, { node: 'data-2' }, false],
  ])('a drain by hand may delete the record when it gives up (%s)', async (_title, facts: Host, request, withdraws) => {
    const { drain } = host(facts);

    expect(await drain({ ...request, dryRun: true })).toMatchObject({ drain: { withdrawOnGiveUp: withdraws } });
  });

  it.each(dataNodes.slice(1, 2).flatMap(({ id, name, ip }) => [id, name, ip]))(
    'finds another node by %s',
    async (node) => {
      const { drain, calls } = host({});

      await drain({ node });

      expect(calls).toContain('register d2 test');
    },
  );

  it('names the nodes of the cluster when there is no such node', async () => {
    await expect(host({}).drain({ node: 'data-9' })).rejects.toThrow(
      'no node data-9 is in cluster search (there are master-1, master-2, master-3, data-1, data-2, data-3)',
    );
  });

  it('says how to resume or undo when it is interrupted', async () => {
    const abort = new AbortController();
    const { drain, said } = host({ signal: abort.signal });
    abort.abort(new Error('interrupted'));

    await expect(drain()).rejects.toThrow('interrupted');
    expect(said.at(-1)).toContain('cluster-cli api DELETE /_nodes/d1/shutdown');
  });
});
