import { describe, expect, it } from 'vitest';
import { decideHost, type HostFacts, leastFreeBytes } from './decide-host.ts';

const now = 1_000_000_000;
const seconds = (count: number) => count * 1000;
const minutes = (count: number) => count * 60_000;

const idle: HostFacts = {
  targetState: 'InService',
  drain: undefined,
  spotNoticeAt: undefined,
  workers: 0,
  lastWorkerAt: now - minutes(30),
  jobBegunAt: undefined,
  serviceActive: true,
  orphanedSince: undefined,
  freeBytes: leastFreeBytes,
  protectedFromScaleIn: false,
  drainingSince: undefined,
  silence: 'off',
  silencedSince: undefined,
  lastHeartbeatAt: now,
  lastReportAt: now,
  lastReport: { workers: 0, phase: 'serving', listening: true },
};
const draining: HostFacts = {
  ...idle,
  targetState: 'Terminated',
  drainingSince: now - minutes(1),
  lastReport: { workers: 0, phase: 'draining', listening: true },
};
const actions = (facts: HostFacts) => decideHost(facts, now).actions;

describe('while in service', () => {
  it('keeps its scale-in protection for 15 seconds after a job, in which the next one may come, and takes none then', () => {
    const between = { ...idle, lastWorkerAt: now - 14_999 };
    expect(actions({ ...between, protectedFromScaleIn: true })).toEqual([]);
    expect(actions(between)).toEqual([]);
    expect(actions({ ...between, lastWorkerAt: now - 15_000, protectedFromScaleIn: true })).toEqual([
      { kind: 'protect', on: false },
    ]);
  });

  it('protects itself when a Worker appears and lets go when it is gone', () => {
    expect(actions({ ...idle, workers: 1, lastReport: { workers: 1, phase: 'serving', listening: true } })).toEqual([
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
    const launched = { ...idle, serviceActive: false, lastReport: undefined };

    expect(decideHost(launched, now)).toMatchObject({ phase: 'starting', actions: [] });
  });

  it('reports a listener that ended', () => {
    expect(decideHost({ ...idle, serviceActive: false }, now)).toMatchObject({
      phase: 'starting',
      actions: [{ kind: 'report' }],
    });
  });

  it('keeps a host from the start gate while a Worker lives: a second listener would take a job beside it', () => {
    const orphaned = { ...idle, serviceActive: false, workers: 1, protectedFromScaleIn: true, orphanedSince: now };

    expect(decideHost(orphaned, now)).toEqual({
      phase: 'serving',
      because: 'listener-ended-before-its-job',
      actions: [{ kind: 'report' }],
    });
  });

  it('calls a host unfit whose Worker outlives its listener and the lease of its job', () => {
    const orphaned = { ...idle, serviceActive: false, workers: 1 };

    expect(decideHost({ ...orphaned, orphanedSince: now - minutes(14) }, now).phase).toBe('serving');
    expect(decideHost({ ...orphaned, orphanedSince: now - minutes(15) }, now)).toMatchObject({
      phase: 'unfit',
      because: 'worker-without-listener',
    });
  });

  it('stops at once a host whose runner is removed: no listener can take a job', () => {
    expect(decideHost({ ...draining, serviceActive: false, drain: { at: now, removedAt: now } }, now)).toEqual({
      phase: 'stopped',
      because: 'runner-removed',
      actions: [{ kind: 'complete-termination' }],
    });
  });

  it('drains a host that has to leave', () => {
    expect(decideHost({ ...draining, serviceActive: false }, now).phase).toBe('draining');
  });
});

describe('while draining', () => {
  const silent = { silence: 'requests', silencedSince: now - seconds(60) } as const;
  const causes: [string, Partial<HostFacts>][] = [
    ['the target state is Terminated', { targetState: 'Terminated' }],
    ['the target state is Warmed:Terminated', { targetState: 'Warmed:Terminated' }],
    ['a remote command asked for it', { drain: { at: now } }],
  ];
  it.each(causes)('drains when %s', (_, cause) => {
    expect(decideHost({ ...idle, ...cause }, now).phase).toBe('draining');
  });

  it('a draining host never stops while a Worker lives', () => {
    const told = { at: 0, removedAt: 0, unreachableAt: 0 };

    expect(decideHost({ ...draining, workers: 1, drain: told, drainingSince: 0 }, now).phase).toBe('draining');
    expect(decideHost({ ...draining, workers: 1, spotNoticeAt: now }, now).phase).toBe('draining');
  });

  it('heartbeats every ten minutes, a third of the hook timeout', () => {
    expect(actions({ ...draining, lastHeartbeatAt: now - minutes(10) })).toContainEqual({ kind: 'heartbeat' });
    expect(actions({ ...draining, ...silent, lastHeartbeatAt: now - minutes(9) })).toEqual([]);
  });

  const stops: [string, Partial<HostFacts>, string][] = [
    ['a minute after the removal', { drain: { at: 0, removedAt: now - seconds(60) } }, 'runner-removed'],
    [
      'after two silent minutes since the news that the platform is away',
      { drain: { at: 0, unreachableAt: now - seconds(60) }, ...silent },
      'platform-unreachable',
    ],
    [
      'after five idle minutes when no one contacts it',
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
      { drainingSince: now - minutes(9), silence: 'requests', silencedSince: now - seconds(59) },
    ],
    ['it is silent, and a function may still remove its runner', { drainingSince: now - minutes(4), ...silent }],
    [
      'its listener can still finish what is under way',
      { drainingSince: now - minutes(9), silence: 'new-connections', silencedSince: now - minutes(5) },
    ],
    ['an agent before this one silenced it', { drainingSince: now - minutes(9), silence: 'requests' }],
  ];
  it.each(waits)('waits when %s', (_, cause) => {
    expect(decideHost({ ...draining, ...cause }, now).phase).toBe('draining');
  });

  const quiet: [string, Partial<HostFacts>, string | undefined][] = [
    [
      'for new connections when the platform is reported to be away',
      { drain: { at: 0, unreachableAt: now } },
      'new-connections',
    ],
    [
      'for new connections as soon as it drains: a job that began now would end with the drain time',
      { drainingSince: now },
      'new-connections',
    ],
    ['for new connections as soon as its last job has ended', { lastWorkerAt: now }, 'new-connections'],
    [
      'entirely a minute later',
      { drainingSince: now - minutes(4), silence: 'new-connections', silencedSince: now - seconds(60) },
      'requests',
    ],
    [
      'not entirely before that minute is over',
      { drainingSince: now - minutes(4), silence: 'new-connections', silencedSince: now - seconds(59) },
      undefined,
    ],
    [
      'from the beginning when an agent before this one did it',
      { drainingSince: now - minutes(4), silence: 'requests' },
      'new-connections',
    ],
    ['no more once its runner is removed: it ends by itself', { drain: { at: 0, removedAt: now }, ...silent }, 'off'],
    ['no more when a Worker shows that a job had reached it', { workers: 1, ...silent }, 'off'],
    ['not while a job runs', { workers: 1, drainingSince: now - minutes(30) }, undefined],
  ];
  it.each([
    ['is removed at the platform', { drain: { at: 0, removedAt: now - minutes(5) } }],
    ['is silenced in a drain without a command', { drainingSince: now - minutes(9), ...silent }],
    ['is silenced because the platform is away', { drain: { at: 0, unreachableAt: now - minutes(3) }, ...silent }],
    ['is on a spot instance that goes', { spotNoticeAt: now + minutes(2) }],
  ] as const)('waits for the Worker of a job that a listener has begun which %s', (_, cause) => {
    const facts = { ...draining, ...cause, jobBegunAt: now - seconds(70) };

    expect(decideHost(facts, now)).toMatchObject({ phase: 'draining', because: 'job-running' });
    const said = 'spotNoticeAt' in cause ? [{ kind: 'report' }] : [];
    expect(actions(facts)).toEqual('silence' in cause ? [{ kind: 'silence', stage: 'off' }] : said);
    expect(decideHost({ ...facts, jobBegunAt: undefined }, now).phase).toBe('stopped');
  });

  it('waits for no Worker longer than the platform keeps a job for its runner', () => {
    const facts = { ...draining, drainingSince: now - minutes(30), ...silent };

    expect(decideHost({ ...facts, jobBegunAt: now - minutes(10) + 1 }, now).phase).toBe('draining');
    expect(decideHost({ ...facts, jobBegunAt: now - minutes(10) }, now).phase).toBe('stopped');
  });

  it.each(quiet)('silences its listener %s', (_, cause, stage) => {
    const silenced = actions({ ...draining, ...cause }).filter(({ kind }) => kind === 'silence');

    expect(silenced).toEqual(stage === undefined ? [] : [{ kind: 'silence', stage }]);
  });

  it('sends the heartbeat before anything that may fail', () => {
    const due = {
      ...draining,
      lastHeartbeatAt: undefined,
      lastReportAt: undefined,
      drain: { at: 0, unreachableAt: 0 },
    };

    expect(actions(due).map(({ kind }) => kind)).toEqual(['heartbeat', 'silence', 'report']);
  });
});

describe('with one job', () => {
  const oneJob = { life: 'started', configured: true, registrationDeleted: false } as const;
  const ended: HostFacts = { ...idle, serviceActive: false, oneJob };
  const gone = { ...oneJob, configured: false };

  const table: [string, HostFacts, string, string][] = [
    ['serves while its listener runs', { ...idle, oneJob }, 'serving', 'in-service'],
    [
      'starts before the first listener',
      { ...ended, oneJob: { ...gone, life: undefined } },
      'starting',
      'service-not-active',
    ],
    ['starts a listener again that ended before its job', ended, 'starting', 'service-not-active'],
    [
      'is finished after a Worker, though the listener was killed and left its configuration',
      { ...ended, oneJob: { ...oneJob, life: 'served' } },
      'finished',
      'job-done',
    ],
    [
      'is finished when the listener deleted its configuration',
      { ...ended, oneJob: gone },
      'finished',
      'configuration-deleted',
    ],
    [
      'is finished when the listener found its registration deleted',
      { ...ended, oneJob: { ...oneJob, registrationDeleted: true } },
      'finished',
      'registration-deleted',
    ],
    [
      'is finished, not unfit, with a disk that its job filled',
      { ...ended, oneJob: { ...oneJob, life: 'served' }, freeBytes: 0 },
      'finished',
      'job-done',
    ],
    [
      'is not finished while a Worker outlives its listener',
      { ...ended, workers: 1, oneJob: { ...gone, life: 'served' } },
      'serving',
      'listener-ended-before-its-job',
    ],
    [
      'waits for a listener that has just done its job',
      { ...idle, lastWorkerAt: now - minutes(5) + 1, oneJob: { ...oneJob, life: 'served' } },
      'serving',
      'in-service',
    ],
    [
      'completes its termination at once when it is finished',
      { ...draining, serviceActive: false, oneJob: gone },
      'stopped',
      'configuration-deleted',
    ],
    [
      'drains while its job runs',
      { ...draining, workers: 1, oneJob: { ...oneJob, life: 'served' } },
      'draining',
      'job-running',
    ],
    ['lets go at a spot notice while idle', { ...idle, oneJob, spotNoticeAt: now }, 'stopped', 'spot-notice'],
  ];
  it.each(table)('%s', (_, facts, phase, because) => {
    expect(decideHost(facts, now)).toMatchObject({ phase, because });
  });

  it('stops a listener that hangs after its job', () => {
    const hung = { ...idle, lastWorkerAt: now - minutes(5), oneJob: { ...oneJob, life: 'served' } } as const;

    expect(actions(hung)).toEqual([{ kind: 'stop-runner' }]);
  });

  it('a host of one job never touches scale-in protection: the group protects every host', () => {
    const busy = {
      ...idle,
      workers: 1,
      oneJob,
      lastReport: { workers: 1, phase: 'serving', listening: true },
    } as const;

    expect(actions(busy)).toEqual([]);
  });

  it('reports that it is finished at once, and every five minutes', () => {
    const said = { workers: 0, phase: 'finished', listening: false } as const;

    expect(actions({ ...ended, oneJob: gone })).toEqual([{ kind: 'report' }]);
    expect(actions({ ...ended, oneJob: gone, lastReport: said })).toEqual([]);
    expect(actions({ ...ended, oneJob: gone, lastReport: said, lastReportAt: now - minutes(5) })).toEqual([
      { kind: 'report' },
    ]);
  });
});

describe('with a full disk', () => {
  const full = { ...idle, freeBytes: leastFreeBytes - 1 };
  const silent = { silence: 'requests', silencedSince: now - seconds(60) } as const;

  it('takes no further job: silences its listener, then stops it, and says why', () => {
    expect(decideHost(full, now)).toEqual({
      phase: 'unfit',
      because: 'disk-full',
      actions: [{ kind: 'silence', stage: 'new-connections' }, { kind: 'report' }],
    });
    expect(actions({ ...full, ...silent })).toContainEqual({ kind: 'stop-runner' });
    expect(actions({ ...full, ...silent, jobBegunAt: now })).toContainEqual({ kind: 'silence', stage: 'off' });
  });

  it('leaves a job that runs alone: clean-up follows its end', () => {
    expect(decideHost({ ...full, workers: 1 }, now).phase).toBe('serving');
    expect(actions({ ...full, ...silent, workers: 1 })).toContainEqual({ kind: 'silence', stage: 'off' });
  });

  it('serves again once there is room', () => {
    expect(decideHost({ ...idle, serviceActive: false, ...silent }, now).phase).toBe('starting');
  });

  it('leaves a launch with a full disk to the start gate, which gives it up', () => {
    expect(decideHost({ ...full, serviceActive: false, lastReport: undefined }, now).phase).toBe('starting');
  });
});
