import { describe, expect, it } from 'vitest';
import type { FleetState, InstanceState, NodeState } from './api.ts';
import { FleetHistory } from './fleet-history.ts';
import { type Phase, phaseOfInstance, phaseOfNode, runsJob } from './phase.ts';

const instance: InstanceState = {
  id: 'i-1',
  zone: 'eu-west-1a',
  lifecycleState: 'InService',
  warmPool: false,
  spot: false,
  protected: false,
  healthy: true,
  runner: 'idle',
  since: undefined,
  job: undefined,
  hooks: [],
};

describe('the phase of an instance', () => {
  it.each<[string, Partial<InstanceState>, Phase]>([
    ['a runner without a job', {}, 'idle'],
    ['a runner with a job', { runner: 'busy' }, 'busy'],
    ['an offline runner in service', { runner: 'offline' }, 'offline'],
    ['an instance in service without a runner', { runner: 'none' }, 'no-runner'],
    ['an instance that waits for its hooks', { runner: 'none', lifecycleState: 'Pending:Wait' }, 'booting'],
    ['an instance in standby', { lifecycleState: 'Standby' }, 'unknown'],
    [
      'a drained instance whose runner is offline',
      { runner: 'offline', lifecycleState: 'Terminating:Wait' },
      'draining',
    ],
    ['an unhealthy instance', { healthy: false, runner: 'busy' }, 'trouble'],
    ['a dead machine whose job GitHub still counts', { machine: 'gone', runner: 'busy' }, 'gone'],
    ['a machine that hangs', { machine: 'hung', runner: 'idle' }, 'hung'],
    ['a full disk while it is drained', { machine: 'full', lifecycleState: 'Terminating:Wait' }, 'full'],
    ['a member of the warm pool', { warmPool: true, runner: 'none', lifecycleState: 'Warmed:Stopped' }, 'pooled'],
  ])('%s has its own phase', (_, change, phase) => {
    expect(phaseOfInstance({ ...instance, ...change })).toBe(phase);
  });

  it('only a boot counts as booting over time, and only a living machine as busy', () => {
    const members: Partial<InstanceState>[] = [
      { runner: 'offline' },
      { runner: 'none' },
      { runner: 'busy', machine: 'gone' },
      { runner: 'busy' },
      { runner: 'busy', lifecycleState: 'Terminating:Wait' },
      { runner: 'none', lifecycleState: 'Pending:Wait' },
      { lifecycleState: 'Terminating:Wait' },
      {},
    ];
    const instances = members.map((change) => ({ ...instance, ...change }));
    const history = new FleetHistory();
    history.add(1, { instances, queuedJobs: 0, desiredCapacity: 8, maxSize: 9 } as unknown as FleetState);
    expect(history.samples).toMatchObject([{ busy: 2, idle: 1, booting: 1, draining: 1, away: 3 }]);
    expect(instances.filter(runsJob)).toHaveLength(2);
  });
});

describe('the phase of a search node', () => {
  const node = { lifecycleState: 'InService', inCluster: true, drain: undefined } as NodeState;

  it.each<[string, Partial<NodeState>, Phase]>([
    ['a node of the cluster', {}, 'idle'],
    ['a running node that the cluster does not list', { inCluster: false }, 'trouble'],
    ['a node of a cluster that does not respond', { inCluster: undefined }, 'unknown'],
    ['a dead node that Auto Scaling terminates', { machine: 'gone', lifecycleState: 'Terminating:Wait' }, 'gone'],
    ['a node that boots', { lifecycleState: 'Pending:Wait', inCluster: false }, 'booting'],
  ])('%s has its own phase', (_, change, phase) => {
    expect(phaseOfNode({ ...node, ...change })).toBe(phase);
  });
});
