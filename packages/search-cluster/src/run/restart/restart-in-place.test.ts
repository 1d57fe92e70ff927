import { SeededRandom, TerminalError, VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import { health, topology } from '../../decide/facts.test-support.ts';
import type { ClusterMember, NodeIdentity } from '../../ports.ts';
import { finishRestart, prepareRestart, type RestartRun } from './restart-in-place.ts';

const old = '8.19.21';
const to = '9.5.3';
const identity = (version: string): NodeIdentity => ({ nodeId: 'm3', clusterUuid: 'uuid', version });
const newer = ['m1', 'm2', 'd1'].map((id) => ({ id, version: to }));

interface Given {
  readonly members: readonly ClusterMember[];
  /** The node that the note names; undefined without a note. */
  readonly note?: NodeIdentity;
  /** The identity that its process returns, or the reason why it returns none. */
  readonly says: NodeIdentity | 'refuses passwords';
}

/** The last master, whose cluster cannot be reached by its own process. */
function lastMaster({ members, note, says }: Given) {
  const acts: string[] = [];
  const clock = new VirtualClock();
  const outside = async () => {
    throw new TerminalError('master_not_discovered_exception');
  };
  let running = true;
  const run = {
    clock,
    random: new SeededRandom(1),
    search: {
      health: { health: async () => (running ? outside() : health()) },
      topology: { topology: async () => topology() },
      records: { list: async () => [] },
      voting: { read: outside },
      shards: { shards: outside },
      history: {},
      running: { names: outside },
      local: {
        identity: async () => {
          if (says === 'refuses passwords') throw new TerminalError('401');
          return says;
        },
      },
    },
    process: {
      stop: async () => {
        acts.push('stop');
        running = false;
      },
      start: async () => void acts.push('start'),
    },
    notes: { read: async () => note, write: async () => {} },
    traffic: { read: async () => undefined, ask: async () => {}, over: async () => {} },
    cluster: { members: async () => members },
    onWait: () => {},
    onAction: () => {},
    onWarning: () => {},
  } as unknown as RestartRun;
  return { run, acts, clock };
}

const request = { reason: `upgrade-${to}`, allowUnavailable: false, allowMissingReplicas: true, waitMs: 60_000 };
const stopped = identity(old);

describe('a node that was stopped for an upgrade, and that something has started in its old version', () => {
  it.each<[string, Given, boolean]>([
    ['is stopped once more when every member is newer', { members: newer, note: stopped, says: stopped }, true],
    [
      'is stopped once more although it refuses every password, being outside',
      { members: newer, note: stopped, says: 'refuses passwords' },
      true,
    ],
    [
      'stays when a member is as old',
      { members: [...newer, { id: 'd2', version: old }], note: stopped, says: stopped },
      false,
    ],
    [
      'stays when it is a member itself',
      { members: [...newer, { id: 'm3', version: to }], note: stopped, says: stopped },
      false,
    ],
    ['stays when it runs the new version, and will join', { members: newer, note: stopped, says: identity(to) }, false],
    ['stays when no member responds', { members: [], note: stopped, says: stopped }, false],
    ['stays when no restart of it was prepared', { members: newer, says: stopped }, false],
  ])('%s', async (_, given, isStopped) => {
    const { run, acts } = lastMaster(given);
    const end = await prepareRestart(run, request).catch((error: unknown) => error);
    expect(acts).toEqual(isStopped ? ['stop'] : []);
    if (isStopped) expect(end).toMatchObject({ outcome: { kind: 'ready' } });
    else expect(end).toBeInstanceOf(TerminalError);
  });

  it('the last old node is started again as what is installed when its restart is finished', async () => {
    const { run, acts, clock } = lastMaster({ members: newer, note: stopped, says: stopped });
    const end = finishRestart(run, { waitMs: 1_000, allowMissingReplicas: true });
    await clock.advance(10_000);
    await end;
    expect(acts).toEqual(['stop', 'start']);
  });
});
