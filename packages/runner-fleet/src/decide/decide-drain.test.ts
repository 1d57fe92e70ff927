import { describe, expect, it } from 'vitest';
import { type DrainFacts, decideDrain } from './decide-drain.ts';

const now = 1_000_000_000;
const seconds = (count: number) => count * 1000;
const minutes = (count: number) => count * 60_000;

const own = ['instance_id:i-1', 'installation_id:runners'];
const runner = { id: 7, name: 'i-1', status: 'online', busy: false, labels: own, customLabels: own } as const;

/** A host that drains, fresh and idle, of a runner that read idle twice: everything agrees. */
const agreed: DrainFacts = {
  instance: {
    id: 'i-1',
    lifecycleState: 'Terminating:Wait',
    healthy: true,
    protectedFromScaleIn: false,
    inWarmPool: false,
  },
  since: now - minutes(5),
  allowedDrainTimeMs: minutes(15),
  host: { at: now - seconds(20), workers: 0, phase: 'draining' },
  commands: [],
  runner,
  busyReadings: [
    { at: now - seconds(61), busy: false },
    { at: now, busy: false },
  ],
  unreachablePasses: 0,
};

const kinds = (facts: DrainFacts) => decideDrain(facts, now).actions.map(({ kind }) => kind);

describe('removal of the runner at the platform', () => {
  it('removes the runner when the host is fresh and idle and two readings agree', () => {
    expect(decideDrain(agreed, now).actions).toMatchObject([{ kind: 'remove-runner', runnerId: 7 }]);
  });

  it('notifies the host after a removal that succeeded', () => {
    const [removal] = decideDrain(agreed, now).actions;

    expect(removal).toMatchObject({
      ifRemoved: { because: 'runner-removed-host-finishes', actions: [{ kind: 'tell-host', message: 'removed' }] },
    });
  });

  const doubts: [string, Partial<DrainFacts>][] = [
    ['the host sees a Worker', { host: { at: now, workers: 1, phase: 'draining' } }],
    ['the host has not reported', { host: undefined }],
    ["the host's report is a minute old", { host: { at: now - seconds(60), workers: 0, phase: 'draining' } }],
    ['there is one reading', { busyReadings: [{ at: now, busy: false }] }],
    [
      'two readings are less than a minute apart',
      {
        busyReadings: [
          { at: now - seconds(59), busy: false },
          { at: now, busy: false },
        ],
      },
    ],
    [
      'the newest reading is busy',
      {
        busyReadings: [
          { at: now - seconds(90), busy: false },
          { at: now, busy: true },
        ],
      },
    ],
    [
      'a busy reading lies between',
      {
        busyReadings: [
          { at: now - seconds(120), busy: false },
          { at: now - seconds(60), busy: true },
          { at: now - seconds(20), busy: false },
        ],
      },
    ],
    ['the platform cannot be read', { runner: 'unreadable' }],
  ];
  it.each(doubts)('decideDrain does not remove the runner when %s', (_, doubt) => {
    expect(kinds({ ...agreed, ...doubt })).not.toContain('remove-runner');
  });
});

describe('the labels of a runner that drains', () => {
  const labelled = { ...runner, customLabels: ['self-hosted', 'Linux', 'X64', ...own, 'gpu'] };
  const working = { ...agreed, host: { at: now, workers: 1, phase: 'draining' as const } };

  it('the labels of a draining runner are removed at once, so that no new job comes; those of the fleet stay', () => {
    expect(decideDrain({ ...working, runner: labelled }, now).actions).toEqual([
      { kind: 'take-labels', runnerId: 7, keep: own },
    ]);
  });

  it('the labels of a draining runner are removed once, and never those that the platform gave', () => {
    expect(kinds(working)).toEqual([]);
    expect(kinds({ ...working, runner: { ...runner, labels: ['self-hosted', ...own] } })).toEqual([]);
  });

  it('the labels of a draining runner do not delay its removal', () => {
    expect(kinds({ ...agreed, runner: labelled })).toEqual(['remove-runner']);
  });
});

describe('the order to the host', () => {
  it('a host that stopped reporting during its drain gets the command again, so that its death is noticed', () => {
    const silent = { at: now - minutes(2), workers: 1, phase: 'draining' } as const;

    expect(decideDrain({ ...agreed, host: silent }, now).actions).toEqual([{ kind: 'tell-host', message: 'drain' }]);
  });

  it('a host gets the command to drain when it has not started by itself', () => {
    const facts = { ...agreed, host: { at: now - seconds(20), workers: 1, phase: 'serving' } as const };

    expect(decideDrain(facts, now).actions).toEqual([{ kind: 'tell-host', message: 'drain' }]);
  });

  it('a host that drains gets no further command', () => {
    expect(kinds({ ...agreed, busyReadings: [] })).toEqual([]);
  });

  it('a host gets the command that the runner is removed, once', () => {
    const absent: DrainFacts = { ...agreed, runner: 'absent' };
    const told = { command: 'runner-agent drain --removed', sentAt: now - minutes(4), outcome: 'succeeded' } as const;

    expect(decideDrain(absent, now).actions).toEqual([{ kind: 'tell-host', message: 'removed' }]);
    expect(kinds({ ...absent, commands: [told] })).toEqual([]);
  });

  it('a host gets a command again that has no outcome', () => {
    const lost = { command: 'runner-agent drain --removed', sentAt: now - minutes(4), outcome: 'pending' } as const;

    expect(kinds({ ...agreed, runner: 'absent', commands: [lost] })).toEqual(['tell-host']);
  });

  it('a host gets the command that the platform is unreachable after two passes, not after one', () => {
    const away: DrainFacts = { ...agreed, runner: 'unreadable' };

    expect(kinds({ ...away, unreachablePasses: 1 })).toEqual([]);
    expect(decideDrain({ ...away, unreachablePasses: 2 }, now).actions).toEqual([
      { kind: 'tell-host', message: 'platform-unreachable' },
    ]);
  });
});

describe('the end of the wait', () => {
  const ended: [string, Partial<DrainFacts>, string][] = [
    [
      'allowed_drain_time is over, whatever runs',
      { since: now - minutes(15), host: { at: now, workers: 1, phase: 'draining' } },
      'allowed-drain-time-over',
    ],
    [
      'a warm-pool member terminates',
      { instance: { ...agreed.instance, lifecycleState: 'Warmed:Terminating:Wait', inWarmPool: true } },
      'warm-pool-member',
    ],
    [
      'the host is silent and commands do not arrive',
      {
        host: { at: now - minutes(6), workers: 1, phase: 'serving' },
        since: now - minutes(6),
        commands: [{ command: 'runner-agent drain', sentAt: now - minutes(3), outcome: 'undelivered' }],
      },
      'host-dead',
    ],
  ];
  it.each(ended)('completes the hook when %s', (_, change, because) => {
    const decision = decideDrain({ ...agreed, ...change }, now);

    expect(decision.because).toBe(because);
    expect(decision.actions.map(({ kind }) => kind)).toEqual(['remove-runner', 'delete-secret', 'complete']);
  });

  const withoutAgent: [string, Partial<DrainFacts>][] = [
    ['never reported', { since: now - seconds(1), host: undefined }],
    ['has been silent for five minutes', { host: { at: now - minutes(5), workers: 0, phase: 'serving' } }],
  ];
  it.each(withoutAgent)('completes the hook when no agent ever registered and the host %s', (_, change) => {
    const told = decideDrain({ ...agreed, ...change }, now).actions.find(({ kind }) => kind === 'tell-host');

    expect(told).toMatchObject({
      ifUnknown: {
        because: 'host-dead',
        actions: [{ kind: 'remove-runner' }, { kind: 'delete-secret' }, { kind: 'complete' }],
      },
    });
  });

  const refused = { command: 'runner-agent drain --removed', sentAt: now - seconds(60), outcome: 'failed' } as const;
  const givenUp: DrainFacts = {
    ...agreed,
    since: now - minutes(1),
    host: undefined,
    runner: 'absent',
    commands: [refused],
  };

  it('decideDrain completes the hook at once when the launch was given up before the host had an agent', () => {
    expect(decideDrain(givenUp, now)).toEqual({
      because: 'host-dead',
      actions: [{ kind: 'delete-secret' }, { kind: 'complete', because: 'host-dead' }],
    });
  });

  it('decideDrain completes the hook at once when the host reported that its boot failed', () => {
    const host = { at: now - minutes(1), workers: 0, phase: 'failed', failure: 'puppet failed' } as const;
    expect(decideDrain({ ...givenUp, host, commands: [], runner: 'unreadable' }, now)).toEqual({
      because: 'host-dead',
      actions: [{ kind: 'delete-secret' }, { kind: 'complete', because: 'host-dead' }],
    });
  });

  it.each<[string, Partial<DrainFacts>]>([
    ['the host has reported', { host: { at: now - minutes(2), workers: 0, phase: 'serving' } }],
    ['the platform has its runner', { runner: agreed.runner }],
    ['the platform cannot be read', { runner: 'unreadable' }],
    ['the command has not arrived', { commands: [{ ...refused, outcome: 'undelivered' }] }],
    ['the command has succeeded', { commands: [{ ...refused, outcome: 'succeeded' }] }],
  ])('decideDrain does not complete the hook of a new host at once when %s', (_, change) => {
    expect(kinds({ ...givenUp, ...change })).not.toContain('complete');
  });

  it('leaves a host without an agent alone that reported lately', () => {
    const reported = { at: now - minutes(4), workers: 1, phase: 'serving' } as const;

    expect(decideDrain({ ...agreed, host: reported }, now).actions).toEqual([{ kind: 'tell-host', message: 'drain' }]);
  });

  it('decideDrain does not need the platform to complete the hook', () => {
    const decision = decideDrain({ ...agreed, since: now - minutes(15), runner: 'unreadable' }, now);

    expect(decision.actions.map(({ kind }) => kind)).toEqual(['delete-secret', 'complete']);
  });

  it('decideDrain does not take a host for dead that reports although commands fail', () => {
    const failing = { command: 'runner-agent drain', sentAt: now - minutes(4), outcome: 'undelivered' } as const;

    expect(
      kinds({ ...agreed, host: { at: now - minutes(4), workers: 1, phase: 'draining' }, commands: [failing] }),
    ).not.toContain('complete');
  });

  it('decideDrain does not take a host for dead that carries out commands although it may not report', () => {
    const drain = { command: 'runner-agent drain' } as const;
    const commands = [
      { ...drain, sentAt: now - minutes(4), outcome: 'succeeded' },
      { ...drain, sentAt: now - seconds(30), outcome: 'pending' },
    ] as const;

    expect(kinds({ ...agreed, since: now - minutes(14), host: undefined, commands })).not.toContain('complete');
  });

  it('leaves the host alone while a job runs', () => {
    const decision = decideDrain({ ...agreed, host: { at: now - seconds(5), workers: 1, phase: 'draining' } }, now);

    expect(decision).toEqual({ because: 'job-running', actions: [] });
  });
});
