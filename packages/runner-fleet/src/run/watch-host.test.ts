import { jsonLogger, Secret, VirtualClock } from '@drover/core';
import { describe, expect, it } from 'vitest';
import type { RunnerLife } from '../decide/decide-finished.ts';
import type { Silence } from '../decide/decide-host.ts';
import type { ListenerEnd } from '../decide/decide-restart.ts';
import type { ConfigureOutcome, OwnPlace, RunnerHost } from '../host-ports.ts';
import type { HostFlaw, HostReport } from '../model/fleet.ts';
import { type WatchPorts, watchHost, watchPauseMs } from './watch-host.ts';

const minutes = (count: number) => count * 60_000;
const days = (count: number) => count * 86_400_000;

/** Things that a test changes on the host and around it while the agent runs. */
interface Situation {
  workers: number;
  active: boolean;
  lastEnd: ListenerEnd | undefined;
  freeBytes: number;
  silence: Silence;
  targetState: string;
  lifecycleState: string;
  tokenWaits: boolean;
  boot: 'running' | 'done' | 'failed';
  /** Launches are braked. */
  keepFailed: boolean;
  outcome: ConfigureOutcome;
  /** Called for a listener that is started. */
  start: () => void;
  report: (report: HostReport) => Promise<void>;
  /** How far the clock leaps ahead when a pause would be over by the machine's own time. */
  leapMs: number;
  ephemeral: boolean;
  configured: boolean;
  life: RunnerLife | undefined;
  registrationDeleted: boolean;
  jobBegunAt: () => Promise<number | undefined>;
  spotNoticeAt: number | undefined;
  failedEarly: boolean | undefined;
  cleaned: number;
  findFlaw: () => Promise<HostFlaw | undefined>;
  /** The instance waits for its hook. */
  waits: boolean;
}

/** An agent on an instance in service; `happened` is what it did, in order. */
function watched(change: Partial<Situation> = {}) {
  const clock = new VirtualClock();
  const abort = new AbortController();
  const happened: string[] = [];
  const reports: HostReport[] = [];
  const lines: string[] = [];
  const now: Situation = {
    workers: 0,
    active: false,
    lastEnd: undefined,
    freeBytes: 1e12,
    silence: 'off',
    targetState: 'InService',
    lifecycleState: 'InService',
    tokenWaits: false,
    boot: 'done',
    keepFailed: false,
    outcome: { kind: 'configured' },
    start: () => {
      now.active = true;
    },
    report: async (report) => void reports.push(report),
    leapMs: 0,
    ephemeral: false,
    configured: true,
    life: undefined,
    registrationDeleted: false,
    jobBegunAt: async () => undefined,
    spotNoticeAt: undefined,
    failedEarly: false,
    cleaned: 0,
    findFlaw: async () => undefined,
    waits: true,
    ...change,
  };
  const did = async (what: string) => void happened.push(what);
  const host: RunnerHost = {
    workers: () => now.workers,
    isConfigured: () => now.configured,
    life: () => now.life,
    noteLife: (life) => {
      happened.push(life);
      now.life = life;
    },
    registrationDeleted: async () => now.registrationDeleted,
    jobBegunAt: () => now.jobBegunAt(),
    jobFailedEarly: async () => {
      const { failedEarly } = now;
      now.failedEarly = undefined;
      return failedEarly;
    },
    findFlaw: async () => {
      await did('look');
      return await now.findFlaw();
    },
    cleanBetweenJobs: () => {
      now.cleaned += 1;
      return 0;
    },
    configureRunner: async () => {
      await did('configure');
      return now.outcome;
    },
    service: () => ({ active: now.active, lastEnd: now.active ? undefined : now.lastEnd }),
    startService: async () => {
      await did('start');
      now.start();
    },
    stopService: async () => {
      await did('stop');
      now.active = false;
    },
    silence: async (stage) => {
      await did(`silence ${stage}`);
      now.silence = stage;
    },
    silenced: () => now.silence,
    drainOrder: () => undefined,
    boot: () => now.boot,
    bootLog: () => 'the last line of the log',
    freeBytes: () => now.freeBytes,
    waitForChange: (mostMs) => clock.sleep(mostMs),
  };
  const asked: number[] = [];
  const place: OwnPlace = {
    lifecycleState: async () => {
      asked.push(clock.now());
      return now.lifecycleState;
    },
    protect: async (on) => {
      await did(on ? 'protect' : 'unprotect');
      return 'done';
    },
    completeHook: async (hook, result) => {
      await did(`${hook} ${result}`);
      return now.waits ? 'accepted' : 'not-waiting';
    },
    heartbeat: () => did('heartbeat'),
    report: (report) => now.report(report),
  };
  const ports: WatchPorts = {
    clock: { now: () => clock.now() + now.leapMs, after: clock.after.bind(clock), sleep: clock.sleep.bind(clock) },
    log: jsonLogger({ clock, write: (line) => lines.push(line) }),
    host,
    metadata: {
      instanceId: async () => 'i-1',
      targetLifecycleState: async () => now.targetState,
      spotNoticeAt: async () => now.spotNoticeAt,
      isAtRisk: async () => false,
      launchedAt: async () => undefined,
    },
    place,
    token: {
      exists: async () => now.tokenWaits,
      keepFailed: async () => now.keepFailed,
      read: async () => new Secret('token'),
      delete: () => did('delete token'),
    },
    instanceId: 'i-1',
    groupName: 'runners',
    extraLabels: [],
    ephemeral: now.ephemeral,
    signal: abort.signal,
  };
  const ended = { at: undefined as number | undefined };
  void watchHost(ports).then(() => {
    ended.at = clock.now();
  });
  const count = (what: string) => happened.filter((each) => each === what).length;
  return { clock, now, happened, reports, lines, ended, count, asked, stop: () => abort.abort() };
}

const denied = async () => {
  throw new Error('AccessDenied');
};
describe('a listener that ended', () => {
  it('a listener that ended is started again by the agent, and its end is reported', async () => {
    const { clock, now, count, reports } = watched();
    await clock.advance(minutes(20));
    now.active = false;
    now.lastEnd = { by: 'exit', status: 2 };

    await clock.advance(minutes(1));

    expect(count('start')).toBe(2);
    expect(reports.map(({ listening }) => listening)).toContain(false);
    expect(now.active).toBe(true);
  });

  it('a listener is not started beside a Worker that appeared while AWS was asked', async () => {
    const { clock, now, count, asked } = watched();
    await clock.advance(minutes(20));
    now.active = false;
    const askedBefore = asked.length;
    // Gone at each look at the metadata, there again when AWS has responded.
    const appears = (workers: number) => ({
      get: () => {
        now.workers = workers;
        return 'InService';
      },
    });
    Object.defineProperties(now, { targetState: appears(0), lifecycleState: appears(1) });

    await clock.advance(minutes(1));

    expect(asked.length).toBeGreaterThan(askedBefore);
    expect(count('start')).toBe(1);
  });

  it.each([
    ['with code 1', { by: 'exit', status: 1 } as const],
    ['with code 0, which systemd forgets,', undefined],
  ])('a listener that ends at once %s is started again ever more rarely', async (_, lastEnd) => {
    const { clock, now, count } = watched();
    now.start = () => {
      now.lastEnd = lastEnd;
    };

    await clock.advance(minutes(60));

    // 30 s or 5 s, twice as long each time, in the end every 15 minutes.
    expect(count('start')).toBeGreaterThanOrEqual(7);
    expect(count('start')).toBeLessThanOrEqual(12);
  });

  it('a listener that was killed is not started again while its Worker lives, and the report says that a job runs', async () => {
    const { clock, now, count, reports } = watched({ workers: 1, lastEnd: { by: 'signal', status: 9 } });

    await clock.advance(minutes(5));
    expect(count('start')).toBe(0);
    expect(reports[0]).toMatchObject({ workers: 1, listening: false });

    now.workers = 0;
    await clock.advance(minutes(1));
    expect(count('start')).toBe(1);
  });
});

describe('a host that waits at the start gate', () => {
  const waiting = { lifecycleState: 'Pending', boot: 'running' } as const;

  it('a host that waits at the start gate asks AWS ever more rarely, at last once a minute', async () => {
    const { clock, asked } = watched(waiting);

    await clock.advance(minutes(1));
    // In the first seconds more often: its registration may be on the way.
    expect(asked).toHaveLength(8);
    expect(asked[3]! - asked[0]!).toBe(6_000);
    await clock.advance(minutes(59));
    // Every ten seconds it would be 360.
    expect(asked.length).toBeLessThanOrEqual(70);
    expect(asked.at(-1)! - asked.at(-2)!).toBe(minutes(1));
  });

  it('a host that waits at the start gate asks AWS within ten seconds when its target state or its boot changes', async () => {
    const { clock, now, asked } = watched(waiting);
    await clock.advance(minutes(60));

    for (const change of [{ boot: 'done' as const }, { targetState: 'Warmed:Hibernated' }]) {
      await clock.advance(minutes(10));
      const before = asked.length;
      Object.assign(now, change);
      await clock.advance(10_000);
      expect(asked.length).toBe(before + 1);
    }
  });
});

describe('a host whose hook bootstrap is completed', () => {
  it('a host whose hook bootstrap is completed starts its listener within two seconds of being in service', async () => {
    for (const inServiceAfter of [500, 1_500, 3_500, 5_500]) {
      const { clock, now, happened, count } = watched({ lifecycleState: 'Pending:Wait', boot: 'done' });
      await clock.runUntil(() => happened.includes('bootstrap CONTINUE'), minutes(1));
      now.lifecycleState = 'Pending:Proceed';
      await clock.advance(inServiceAfter);
      now.lifecycleState = 'InService';

      await clock.advance(2_000);

      expect(count('start'), `in service after ${inServiceAfter} ms`).toBe(1);
    }
  });

  it('a host whose hook bootstrap is completed asks AWS four times in seven seconds, then at the usual pace', async () => {
    const { clock, now, happened, asked } = watched({ lifecycleState: 'Pending:Wait', boot: 'done' });
    await clock.runUntil(() => happened.includes('bootstrap CONTINUE'), minutes(1));
    now.lifecycleState = 'Pending:Proceed';
    const completedAt = clock.now();

    await clock.advance(30_000);

    expect(asked.filter((at) => at > completedAt).map((at) => at - completedAt)).toEqual([
      1_000, 2_000, 4_000, 7_000, 17_000, 27_000,
    ]);
  });
});

describe('an agent that starts beside a job that runs', () => {
  it('an agent that starts beside a job that runs never reports that nothing runs', async () => {
    const { clock, reports } = watched({ workers: 1, active: true });

    await clock.advance(minutes(10));

    expect(reports.length).toBeGreaterThan(0);
    expect(reports.every(({ workers }) => workers === 1)).toBe(true);
  });
});

describe('reports that cannot be written', () => {
  it('reports that cannot be written keep no runner from its start', async () => {
    const { clock, count, lines } = watched({ report: denied });

    await clock.advance(minutes(10));

    expect(count('start')).toBe(1);
    expect(lines.filter((line) => line.includes('report could not be written'))).toHaveLength(1);
    expect(lines.join()).not.toContain('this look failed');
  });

  it.each([
    ['fail', denied],
    ['get no response', () => new Promise<never>(() => {})],
  ])('reports that %s keep no heartbeat from a drain with a job', async (_, report) => {
    const { clock, count } = watched({ report, active: true, workers: 1, targetState: 'Terminated' });

    await clock.advance(minutes(60));

    expect(count('heartbeat')).toBeGreaterThanOrEqual(6);
  });

  it('reports that cannot be written keep no idle host from its end', async () => {
    const { clock, happened, ended } = watched({ report: denied, active: true, targetState: 'Terminated' });

    await clock.advance(minutes(10));

    expect(happened).toEqual([
      'heartbeat',
      'silence new-connections',
      'silence requests',
      'stop',
      'deregistration CONTINUE',
    ]);
    expect(clock.now() - ended.at!).toBeGreaterThan(minutes(3));
  });
});

describe('a job that a listener has begun while it is silenced', () => {
  const draining = { active: true, targetState: 'Terminated' } as const;
  const silent = ['heartbeat', 'silence new-connections'];

  it('a job that a silenced listener has begun ends the silence, and its host waits for the Worker and for its end', async () => {
    const { clock, now, happened } = watched(draining);
    await clock.runUntil(() => now.silence === 'new-connections', minutes(10));
    const begunAt = clock.now();
    now.jobBegunAt = async () => begunAt;
    await clock.advance(minutes(1));
    expect(happened).toEqual([...silent, 'silence off']);

    now.workers = 1;
    await clock.advance(minutes(5));
    expect(happened).not.toContain('stop');
    // The listener was killed and said nothing of the end: the Worker that was seen is enough.
    now.workers = 0;
    await clock.advance(minutes(6));

    expect(happened.slice(-2)).toEqual(['stop', 'deregistration CONTINUE']);
  });

  it('a job that was begun and never has a Worker holds its host for ten minutes', async () => {
    const { clock, now, happened, ended } = watched(draining);
    await clock.runUntil(() => now.silence === 'requests', minutes(10));
    const begunAt = clock.now();
    now.jobBegunAt = async () => begunAt;
    await clock.advance(minutes(9));
    expect(happened).not.toContain('stop');
    await clock.advance(minutes(6));

    expect(ended.at! - begunAt).toBeGreaterThanOrEqual(minutes(10));
  });

  it('a journal that cannot be read keeps no host from its heartbeats and its end', async () => {
    const { clock, happened } = watched({ ...draining, jobBegunAt: () => Promise.reject(new Error('no journal')) });

    await clock.advance(minutes(10));

    expect(happened).toEqual([...silent, 'silence requests', 'stop', 'deregistration CONTINUE']);
  });
});

it('an agent ends at once after it stopped its runner', async () => {
  const { clock, ended, happened } = watched({ targetState: 'Terminated' });
  await clock.runUntil(() => happened.includes('deregistration CONTINUE'), minutes(10));
  const stoppedAt = clock.now();
  await clock.advance(1);

  expect(ended.at).toBe(stoppedAt);
});

describe('a clock that leaps three days', () => {
  it('a clock that leaps three days stops no host whose listener was silenced just before', async () => {
    const { clock, now, happened } = watched({ active: true, targetState: 'Terminated' });
    await clock.runUntil(() => now.silence === 'requests', minutes(10));
    now.leapMs = days(3);

    await clock.advance(minutes(1.5));
    expect(happened).not.toContain('stop');

    await clock.advance(minutes(10));
    expect(happened).toContain('stop');
  });

  it.each([
    ['forward', days(3)],
    ['back', -days(3)],
  ])('a clock that leaps three days %s keeps no heartbeat from a drain', async (_, leapMs) => {
    const { clock, now, count } = watched({ active: true, workers: 1, targetState: 'Terminated' });
    await clock.advance(minutes(5));
    now.leapMs = leapMs;
    const before = count('heartbeat');

    await clock.advance(minutes(25));

    expect(count('heartbeat') - before).toBeGreaterThanOrEqual(3);
    expect(count('stop')).toBe(0);
  });
});

describe('the registration', () => {
  const refused = (reason: 'unavailable' | 'token-refused' | 'version-too-old'): Partial<Situation> => ({
    tokenWaits: true,
    outcome: { kind: 'platform-failed', reason, message: 'no' },
  });

  it('the registration is tried again after a pause when the platform is not available', async () => {
    const { clock, count } = watched(refused('unavailable'));

    await clock.advance(minutes(1));

    expect(count('configure')).toBeGreaterThan(1);
    expect(count('configure')).toBeLessThanOrEqual(7);
    expect(count('delete token')).toBe(0);
  });

  it('the registration deletes a token that the platform refused, so that the function stores a new one', async () => {
    const { clock, happened } = watched(refused('token-refused'));

    await clock.advance(1000);

    expect(happened).toEqual(['configure', 'delete token']);
  });

  it('the registration of a version that is too old is tried rarely, and the log says what to do', async () => {
    const { clock, count, lines } = watched(refused('version-too-old'));

    await clock.advance(minutes(12));

    expect(count('configure')).toBe(3);
    expect(lines.join()).toMatch(/the runner version is too old to register.*set a newer runner_version/);
  });

  it('the registration gives the launch up when the host is unfit', async () => {
    const outcome = { kind: 'host-failed', reason: 'disk-full', message: 'no room' } as const;
    const { clock, happened } = watched({ tokenWaits: true, lifecycleState: 'Pending:Wait', outcome });

    await clock.advance(1000);

    expect(happened).toEqual(['configure', 'bootstrap ABANDON']);
  });
});

describe('hook bootstrap', () => {
  it('hook bootstrap stays open until cloud-init is done with post_runcmd', async () => {
    const { clock, now, happened } = watched({ lifecycleState: 'Pending:Wait', boot: 'running' });
    await clock.advance(minutes(5));
    expect(happened).toEqual([]);

    now.boot = 'done';
    await clock.advance(minutes(1));
    expect(happened).toEqual(['bootstrap CONTINUE']);
  });

  it('hook bootstrap is abandoned when cloud-init failed', async () => {
    const { clock, happened } = watched({ lifecycleState: 'Pending:Wait', boot: 'failed' });

    await clock.advance(1000);

    expect(happened).toEqual(['bootstrap ABANDON']);
  });

  it('hook bootstrap stays open after a failed boot while launches are braked, and the report says why', async () => {
    const { clock, happened, reports } = watched({ lifecycleState: 'Pending:Wait', boot: 'failed', keepFailed: true });

    await clock.advance(minutes(20));

    expect(happened).toEqual([]);
    expect(reports.at(-1)).toMatchObject({ phase: 'failed' });
    expect(reports.at(-1)?.failure).toContain('the last line of the log');
  });
});

it('a host keeps its scale-in protection for 15 seconds after the end of a job, however long ago its last round was', async () => {
  const { clock, now, count } = watched({ active: true });
  now.workers = 1;
  await clock.advance(20_000);
  now.workers = 0;
  await clock.advance(watchPauseMs);
  expect([count('protect'), count('unprotect')]).toEqual([1, 0]);
  await clock.advance(watchPauseMs);
  expect(count('unprotect')).toBe(1);
});

it('a host cleans up at its start and after each job, not while one runs', async () => {
  const { clock, now } = watched({ active: true });
  await clock.advance(minutes(5));
  expect(now.cleaned).toBe(1);
  now.workers = 1;
  await clock.advance(minutes(5));
  expect(now.cleaned).toBe(1);
  now.workers = 0;
  await clock.advance(minutes(5));
  expect(now.cleaned).toBe(2);
});

describe('a job that failed before its started hook ran', () => {
  it('a host that finds itself broken after such a job stops its listener and stays to be replaced', async () => {
    const { clock, now, happened, reports } = watched({ active: true, findFlaw: async () => 'configuration-changed' });
    await clock.advance(minutes(1));
    expect(happened).toEqual([]);

    now.failedEarly = true;
    await clock.advance(minutes(5));

    expect(happened).toEqual(['look', 'silence new-connections', 'silence requests', 'stop']);
    expect(reports.at(-1)).toMatchObject({ phase: 'unfit', unfit: 'broken', listening: false });
    expect(reports.at(-1)?.failure).toBe('no job can begin here: configuration-changed');
  });

  it('a host that is sound after such a job goes on, and looks again after the next one', async () => {
    const { clock, now, happened, reports } = watched({ active: true, failedEarly: true });
    await clock.advance(minutes(1));
    now.failedEarly = true;
    await clock.advance(minutes(5));

    expect(happened).toEqual(['look', 'look']);
    expect(reports.at(-1)).toMatchObject({ phase: 'serving', listening: true });
  });

  it('a look that fails is tried again', async () => {
    const looks = [
      async () => {
        throw new Error('no fork');
      },
      async () => 'worker-does-not-start' as const,
    ];
    const findFlaw = () => (looks.length > 1 ? looks.shift()! : looks[0]!)();
    const { clock, happened } = watched({ active: true, failedEarly: true, findFlaw });
    await clock.advance(minutes(1));

    expect(happened).toEqual(['look', 'look', 'silence new-connections']);
  });

  it('a look that failed is not tried again after a job that could begin', async () => {
    const findFlaw = async () => {
      now.failedEarly = false;
      throw new Error('killed by the hook of the next job');
    };
    const { clock, happened, now } = watched({ active: true, failedEarly: true, findFlaw });
    await clock.advance(minutes(1));

    expect(happened).toEqual(['look']);
  });

  it('a runner of one job whose host is broken says so when it is finished', async () => {
    const findFlaw = async () => 'programs-changed' as const;
    const { clock, reports } = watched({ ephemeral: true, life: 'served', failedEarly: true, findFlaw });
    await clock.advance(minutes(1));

    expect(reports.at(-1)).toMatchObject({ phase: 'finished', unfit: 'broken' });
  });
});

describe('a host with a full disk', () => {
  it('a host with a full disk stops its listener, stays to be replaced and completes its termination', async () => {
    const { clock, now, happened, reports, ended } = watched({ active: true, freeBytes: 1e6 });
    await clock.advance(minutes(5));
    expect(happened).toEqual(['silence new-connections', 'silence requests', 'stop']);
    expect(reports.at(-1)).toMatchObject({ phase: 'unfit', unfit: 'disk-full', freeBytes: 1e6, listening: false });
    expect(ended.at).toBeUndefined();

    now.targetState = 'Terminated';
    await clock.advance(minutes(6));
    expect(happened).toContain('deregistration CONTINUE');
  });

  it('a host that has room again starts its listener, allowed to speak', async () => {
    const { clock, now, happened } = watched({ active: true, freeBytes: 1e6 });
    await clock.advance(minutes(5));
    now.freeBytes = 1e12;

    await clock.advance(minutes(5));

    expect(happened.slice(-2)).toEqual(['silence off', 'start']);
  });
});

describe('a runner that serves one job', () => {
  const oneJob = { ephemeral: true } as const;
  /** As the listener ends: after its job it has deleted its configuration. */
  const end = (now: Situation, change: Partial<Situation>) => Object.assign(now, { active: false, workers: 0 }, change);

  it('a runner that serves one job is marked before its start, and its host is finished when the listener has ended', async () => {
    const { clock, now, happened, reports, ended } = watched(oneJob);
    await clock.advance(minutes(1));
    expect(happened).toEqual(['started', 'start']);
    now.workers = 1;
    await clock.advance(minutes(1));
    end(now, { configured: false });

    await clock.advance(minutes(30));

    expect(happened).toEqual(['started', 'start', 'served']);
    expect(reports.at(-1)).toMatchObject({ phase: 'finished', workers: 0, listening: false });
    expect(ended.at).toBeUndefined();
    now.targetState = 'Terminated';
    await clock.advance(15_000);
    expect(happened.at(-1)).toBe('deregistration CONTINUE');
  });

  const dead: [string, Partial<Situation>][] = [
    ['after its job', { life: 'started', configured: false }],
    ['when a Worker was seen, and the listener killed beside it', { life: 'served' }],
  ];
  it.each(dead)('a runner that serves one job is not started by an agent that starts %s', async (_, change) => {
    const { clock, happened, reports } = watched({ ...oneJob, tokenWaits: true, ...change });

    await clock.advance(minutes(30));

    expect(happened).toEqual([]);
    expect(reports.at(-1)).toMatchObject({ phase: 'finished' });
  });

  it.each([
    ['exit code 1', { by: 'exit', status: 1 } as const],
    ['exit code 2', { by: 'exit', status: 2 } as const],
    ['exit code 5', { by: 'exit', status: 5 } as const],
    ['exit code 7', { by: 'exit', status: 7 } as const],
    ['SIGKILL', { by: 'signal', status: 9 } as const],
  ])(
    'a runner that serves one job is started again when its listener ended before the job by %s',
    async (_, lastEnd) => {
      const { clock, now, count, reports } = watched(oneJob);
      await clock.advance(minutes(1));
      end(now, { lastEnd });

      await clock.advance(minutes(3));

      expect(count('start')).toBe(2);
      expect(reports.map(({ phase }) => phase)).not.toContain('finished');
    },
  );

  it('a runner that serves one job is not started again when the platform has deleted its registration', async () => {
    const { clock, now, count, reports } = watched(oneJob);
    await clock.advance(minutes(1));
    end(now, { lastEnd: { by: 'exit', status: 1 }, registrationDeleted: true });

    await clock.advance(minutes(30));

    expect(count('start')).toBe(1);
    expect(reports.at(-1)).toMatchObject({ phase: 'finished' });
  });

  it('a runner that serves one job and hangs after it is stopped, and its host is finished', async () => {
    const { clock, now, happened, reports } = watched(oneJob);
    await clock.advance(minutes(1));
    now.workers = 1;
    await clock.advance(minutes(1));
    now.workers = 0;

    await clock.advance(minutes(6));

    expect(happened.at(-1)).toBe('stop');
    expect(reports.at(-1)).toMatchObject({ phase: 'finished' });
  });

  it('a runner that serves one job is let go by a spot notice while it is idle', async () => {
    const { clock, now, happened } = watched(oneJob);
    await clock.advance(minutes(1));
    now.spotNoticeAt = clock.now();

    await clock.advance(minutes(1));

    expect(happened.slice(2)).toEqual(['stop', 'deregistration CONTINUE']);
  });
});

describe('a host that is stopped before its instance waits for the hook', () => {
  const finished = { ephemeral: true, life: 'served', targetState: 'Terminated', waits: false } as const;

  it('a host that is stopped before its instance waits for the hook completes it within two seconds of the wait', async () => {
    const { clock, now, count, ended } = watched(finished);
    const startedAt = clock.now();
    await clock.advance(1_500);
    expect([count('deregistration CONTINUE'), ended.at]).toEqual([1, undefined]);
    now.waits = true;

    await clock.advance(2_000);

    expect([count('deregistration CONTINUE'), ended.at]).toEqual([2, startedAt + 2_000]);
  });

  it('a host whose instance never waits tries its hook ever again, four times a minute, and reports its stop once', async () => {
    const { clock, count, ended, reports, lines } = watched(finished);

    await clock.advance(minutes(60));

    expect(ended.at).toBeUndefined();
    expect(count('deregistration CONTINUE')).toBeGreaterThan(200);
    expect(count('deregistration CONTINUE')).toBeLessThanOrEqual(252);
    expect(reports.filter(({ phase }) => phase === 'stopped')).toHaveLength(1);
    expect(lines.filter((line) => line.includes('"stopped"'))).toHaveLength(1);
  });
});
