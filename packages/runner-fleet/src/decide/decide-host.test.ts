import { describe, expect, it } from 'vitest';
import { decideHost, type HostFacts } from './decide-host.ts';

const now = 1_000_000_000;
const seconds = (count: number) => count * 1000;
const minutes = (count: number) => count * 60_000;

const idle: HostFacts = {
  targetState: 'InService',
  drain: undefined,
  spotNoticeAt: undefined,
  workers: 0,
  lastWorkerAt: now - minutes(30),
  serviceActive: true,
  protectedFromScaleIn: false,
  drainingSince: undefined,
  silenced: false,
  silencedSince: undefined,
  lastHeartbeatAt: now,
  lastReportAt: now,
  lastReport: { workers: 0, phase: 'serving' },
};
const draining: HostFacts = {
  ...idle,
  targetState: 'Terminated',
  drainingSince: now - minutes(1),
  lastReport: { workers: 0, phase: 'draining' },
};
const actions = (facts: HostFacts) => decideHost(facts, now).actions;

describe('while in service', () => {
  it('protects itself when a Worker appears and lets go when it is gone', () => {
    expect(actions({ ...idle, workers: 1, lastReport: { workers: 1, phase: 'serving' } })).toEqual([
      { kind: 'protect', on: true },
    ]);
    expect(actions({ ...idle, protectedFromScaleIn: true })).toEqual([{ kind: 'protect', on: false }]);
  });

  it('reports at once when the number of Workers changed, and every five minutes', () => {
    expect(actions({ ...idle, workers: 1, protectedFromScaleIn: true })).toEqual([{ kind: 'report' }]);
    expect(actions({ ...idle, lastReportAt: now - minutes(5) })).toEqual([{ kind: 'report' }]);
    expect(actions(idle)).toEqual([]);
  });
});

describe('while the runner service does not run', () => {
  it('leaves a host that is in no drain to the start gate', () => {
    expect(decideHost({ ...idle, serviceActive: false }, now)).toMatchObject({ phase: 'starting', actions: [] });
  });

  it('drains a host that has to leave', () => {
    expect(decideHost({ ...draining, serviceActive: false }, now).phase).toBe('draining');
  });
});

describe('while draining', () => {
  const causes: [string, Partial<HostFacts>][] = [
    ['the target state is Terminated', { targetState: 'Terminated' }],
    ['the target state is Warmed:Terminated', { targetState: 'Warmed:Terminated' }],
    ['a remote command asked for it', { drain: { at: now } }],
  ];
  it.each(causes)('drains when %s', (_, cause) => {
    expect(decideHost({ ...idle, ...cause }, now).phase).toBe('draining');
  });

  it('never stops while a Worker lives', () => {
    const told = { at: 0, removedAt: 0, unreachableAt: 0 };

    expect(decideHost({ ...draining, workers: 1, drain: told, drainingSince: 0 }, now).phase).toBe('draining');
    expect(decideHost({ ...draining, workers: 1, spotNoticeAt: now }, now).phase).toBe('draining');
  });

  it('heartbeats every ten minutes, a third of the hook timeout', () => {
    expect(actions({ ...draining, lastHeartbeatAt: now - minutes(10) })).toContainEqual({ kind: 'heartbeat' });
    expect(actions({ ...draining, lastHeartbeatAt: now - minutes(9) })).toEqual([]);
  });

  const silent = { silenced: true, silencedSince: now - seconds(60) };
  const stops: [string, Partial<HostFacts>, string][] = [
    ['a minute after the removal', { drain: { at: 0, removedAt: now - seconds(60) } }, 'runner-removed'],
    [
      'a minute after the news that the platform is away',
      { drain: { at: 0, unreachableAt: now - seconds(60) }, ...silent },
      'platform-unreachable',
    ],
    [
      'after five idle minutes when nobody speaks to it',
      { drainingSince: now - minutes(5), ...silent },
      'idle-and-alone',
    ],
    ['at a spot notice', { spotNoticeAt: now + minutes(2) }, 'spot-notice'],
  ];
  it.each(stops)('stops %s', (_, cause, because) => {
    const decision = decideHost({ ...draining, ...cause }, now);

    expect(decision).toMatchObject({ phase: 'stopped', because });
    expect(decision.actions).toEqual([{ kind: 'stop-runner' }, { kind: 'complete-termination' }]);
  });

  const waits: [string, Partial<HostFacts>][] = [
    ['the removal is less than a minute ago', { drain: { at: 0, removedAt: now - seconds(59) } }],
    [
      'a Worker was seen less than a minute ago',
      { drain: { at: 0, removedAt: now - minutes(9) }, lastWorkerAt: now - seconds(59) },
    ],
    ['it is alone and was busy four minutes ago', { drainingSince: now - minutes(30), lastWorkerAt: now - minutes(4) }],
    ['the platform is away and could still give it a job', { drain: { at: 0, unreachableAt: now - minutes(9) } }],
    [
      'its listener is silent for less than a minute',
      { drainingSince: now - minutes(9), silenced: true, silencedSince: now - seconds(59) },
    ],
    ['somebody else silenced it, nobody knows when', { drainingSince: now - minutes(9), silenced: true }],
  ];
  it.each(waits)('waits when %s', (_, cause) => {
    expect(decideHost({ ...draining, ...cause }, now).phase).toBe('draining');
  });

  const quiet: [string, Partial<HostFacts>, boolean | undefined][] = [
    ['as soon as the platform is said to be away', { drain: { at: 0, unreachableAt: now } }, true],
    ['after four idle minutes alone', { drainingSince: now - minutes(4) }, true],
    ['again, when an agent before this one did it', { drainingSince: now - minutes(4), silenced: true }, true],
    ['not earlier', { drainingSince: now - minutes(4) + 1 }, undefined],
    ['no more when a Worker shows that a job had reached it', { workers: 1, ...silent }, false],
    ['not while a job runs', { workers: 1, drainingSince: now - minutes(30) }, undefined],
  ];
  it.each(quiet)('silences its listener %s', (_, cause, on) => {
    const silenced = actions({ ...draining, ...cause }).filter(({ kind }) => kind === 'silence');

    expect(silenced).toEqual(on === undefined ? [] : [{ kind: 'silence', on }]);
  });
});
