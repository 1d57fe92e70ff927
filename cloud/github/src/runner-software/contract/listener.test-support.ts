import { expect } from 'vitest';
import {
  all,
  configured,
  ended,
  failed,
  jitConfigOf,
  listening,
  minutes,
  type On,
  outage,
  over,
  type RunnerPlatform,
  readJson,
  registered,
  remaining,
  running,
  seconds,
} from './runner-bench.test-support.ts';

export function describeListener(on: On, { exact, kind, speed }: RunnerPlatform): void {
  on('the listener ends with 1 when the runner is not configured', async (bench) => {
    const listener = bench.listen();
    await ended(bench, listener);

    expect(listener.output()).toContain('Not configured');
    expect(listener.exitCode()).toBe(1);
  });

  on('the listener ends with 2 when its credentials are missing', async (bench) => {
    await configured(bench);
    bench.remove('.credentials');
    const listener = bench.listen();
    await ended(bench, listener);

    expect([listener.exitCode(), registered(bench).length]).toEqual([2, 1]);
  });

  on('the listener connects, says so, is online and writes a log', async (bench) => {
    await configured(bench);
    const logs = () => bench.files().filter((name) => name.startsWith('_diag/Runner_'));
    // config.sh may have written one, too: its name is that of the listener's log if both begin in the same second.
    for (const name of logs()) bench.remove(name);
    const listener = bench.listen();
    await bench.until(() => listener.output().includes('Listening for Jobs'), 2 * minutes);

    expect(listener.output()).toMatch(/√ Connected to GitHub.*Listening for Jobs/s);
    expect(bench.host.registry.isOnline(registered(bench)[0]!)).toBe(true);
    const job = await running(bench, seconds);
    await over(bench, job);
    // One file for each start, named after its moment.
    expect(logs()).toEqual([expect.stringMatching(/^_diag\/Runner_\d{8}-\d{6}-utc\.log$/)]);
  });

  on('a listener whose session another program has taken over ends with 1 after eight refusals', async (bench) => {
    const listener = await listening(bench);
    bench.takeSession();
    await ended(bench, listener, 8 * minutes);

    expect(listener.output().match(/A session for this runner already exists\./g)).toHaveLength(8);
    expect([listener.exitCode(), remaining(bench)]).toEqual([1, all]);
  });

  on('a listener gives up its poll when its job ends, and the next one says Online', async (bench) => {
    await listening(bench);
    const last = () => bench.requests().findLast(({ what }) => what === 'poll');
    // A poll of its own time may have ended in the same moment, but not twice.
    for (const _ of [1, 2]) {
      const job = await running(bench, seconds);
      await over(bench, job);
      await bench.until(() => last()?.status === 'Online', 2 * minutes);
    }

    const givenUp = bench.requests().filter((request) => request.givenUp);
    expect(new Set(givenUp.map(({ status }) => status))).toEqual(new Set(['Busy']));
    if (exact) expect(givenUp).toHaveLength(2);
  });

  on('a listener that is refused one job after another waits 0, 1, 2 and 4 seconds before it polls', async (bench) => {
    await listening(bench);
    const refused = 4;
    const effect = { kind: 'error', status: 409 } as const;
    bench.engine.faults.add({ service: 'platform', operation: 'acquirejob', times: refused, effect });
    const job = bench.host.registry.queue.enqueue({ durationMs: seconds });
    await over(bench, job, 10 * minutes);

    const pauses = bench.requests().flatMap(({ what, until }, place) => {
      const next = bench.requests()[place + 1];
      return what === 'acquire' && next?.what === 'poll' ? [next.at - until!] : [];
    });
    // Not among the waits that its fast build divides: these are real seconds.
    const second = seconds * (kind === 'original' ? speed : 1);
    for (const [place, atLeast] of [0, 1, 2, 4].entries())
      expect(pauses[place]! / second).toBeGreaterThanOrEqual(atLeast * 0.75);
    if (exact) expect(pauses.slice(0, refused)).toEqual([0, 1_000, 2_000, 4_000]);
  });

  on('--jitconfig writes over a configuration that is there; a broken one ends with 1', async (bench) => {
    await configured(bench, '--replace');
    const files = Object.fromEntries(all.map((name) => [name, Buffer.from(bench.read(name)!).toString('base64')]));
    bench.write('.runner', '{"agentId":99}');
    const jitConfig = Buffer.from(JSON.stringify(files)).toString('base64');
    const broken = bench.listen({ args: ['--jitconfig', 'bm90IEpTT04='] });
    await ended(bench, broken);
    const listener = bench.listen({ args: ['--jitconfig', jitConfig] });
    await bench.until(() => listener.output().includes('Listening for Jobs'), minutes);

    expect(broken.exitCode()).toBe(1);
    expect(readJson(bench, '.runner')).toMatchObject({ agentId: 1 });
  });

  on(
    'the listener ends with 0 and deletes its files when its registration is deleted while it polls',
    async (bench) => {
      const listener = await listening(bench);
      bench.host.registry.remove(1);
      await ended(bench, listener);

      expect(listener.output()).toContain(
        'The runner no longer exists on the server. Cleaning up local configuration.',
      );
      expect([listener.exitCode(), remaining(bench)]).toEqual([0, []]);
    },
    'always',
  );

  on(
    'the listener ends with 1 and keeps its files when its registration was deleted before it starts',
    async (bench) => {
      await configured(bench);
      bench.host.registry.remove(1);
      const listener = bench.listen();
      await ended(bench, listener);

      expect(listener.output()).toContain('The runner registration has been deleted from the server');
      expect([listener.exitCode(), remaining(bench)]).toEqual([1, all]);
    },
    'always',
  );

  for (const [code, env] of [
    [1, {}],
    [7, { ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE: '1' }],
  ] as const)
    on(`a deprecated listener listens first, then ends with ${code}`, async (bench) => {
      bench.host.registry.deprecate('2.336.0');
      const listener = await listening(bench, env);
      await ended(bench, listener);

      expect([listener.exitCode(), remaining(bench)]).toEqual([code, all]);
    });

  on('a version that is deprecated while a job runs ends the listener, and the job with it', async (bench) => {
    const listener = await listening(bench);
    const job = await running(bench);
    bench.host.registry.deprecate('2.336.0');
    await ended(bench, listener);

    expect([listener.exitCode(), job.lostBecause]).toEqual([1, 'cancelled']);
  });

  on('a second listener is refused every 30 seconds and ends with 5 after about four minutes', async (bench) => {
    await listening(bench);
    const startedAt = bench.engine.clock.now();
    const second = bench.listen();
    await ended(bench, second, 5 * minutes);

    expect(second.output().match(/A session for this runner already exists\./g)).toHaveLength(8);
    expect(second.exitCode()).toBe(5);
    if (exact) expect(bench.engine.clock.now() - startedAt).toBe(210 * seconds);
  });

  on(
    'a listener that is started after its predecessor was killed waits until GitHub has dropped the session',
    async (bench) => {
      const first = await listening(bench);
      first.signal('SIGKILL');
      await ended(bench, first);
      const second = bench.listen();
      await bench.until(() => second.output().includes('Listening for Jobs'), 4 * minutes);

      expect([first.exitCode(), second.exitCode()]).toEqual([137, undefined]);
      // A busy Linux machine may take longer to start it than GitHub needs to drop the session.
      if (exact) expect(second.output()).toContain('A session for this runner already exists.');
    },
  );
}

export function describeEphemeral(on: On): void {
  on(
    'an ephemeral runner ends with 0 after its job, deletes its files, and GitHub forgets it',
    async (bench) => {
      const listener = await listening(bench, {}, '--ephemeral');
      const job = await running(bench, seconds);
      await ended(bench, listener);

      expect([listener.exitCode(), remaining(bench), registered(bench)]).toEqual([0, [], []]);
      expect(job.state).toBe('completed');
    },
    'always',
  );

  on(
    'a just-in-time configuration of a scale set serves one job of the set, ends with 0, and the service forgets the runner',
    async (bench) => {
      const jitConfig = await jitConfigOf(bench, 'linux');
      const listener = bench.listen({ env: { ACTIONS_RUNNER_INPUT_JITCONFIG: jitConfig } });
      await bench.until(() => listener.output().includes('Listening for Jobs'), 2 * minutes);
      const { queue } = bench.host.registry;
      const [other, job] = [undefined, ['linux']].map((runsOn) =>
        queue.enqueue({ durationMs: seconds, ...(runsOn && { runsOn }) }),
      );
      await ended(bench, listener);

      expect([listener.exitCode(), remaining(bench), registered(bench)]).toEqual([0, [], []]);
      expect([other!.state, job!.state]).toEqual(['queued', 'completed']);
    },
    'always',
  );

  on('an ephemeral runner whose job vanished at the acknowledgement ends with 0 without a job', async (bench) => {
    const listener = await listening(bench, {}, '--ephemeral');
    const effect = { kind: 'error', status: 404 } as const;
    bench.engine.faults.add({ service: 'platform', operation: 'acknowledge', effect });
    const job = bench.host.registry.queue.enqueue({ durationMs: seconds });
    await ended(bench, listener);

    expect([listener.exitCode(), remaining(bench), job.startedAt]).toEqual([0, [], undefined]);
  });

  for (const status of [404, 409])
    on(
      `an ephemeral runner whose acquisition returns ${status} stays as a ghost: silent, not listed`,
      async (bench) => {
        const listener = await listening(bench, {}, '--ephemeral');
        const effect = { kind: 'error', status } as const;
        bench.engine.faults.add({ service: 'platform', operation: 'acquirejob', times: 1, effect });
        bench.host.registry.queue.enqueue({ durationMs: seconds });
        await bench.until(() => registered(bench).length === 0, minutes);
        await bench.pass(5 * minutes);

        expect([listener.exitCode(), bench.workers(), remaining(bench)]).toEqual([undefined, 0, all]);
      },
    );

  on('an ephemeral runner that is stopped before its job stays registered', async (bench) => {
    const listener = await listening(bench, {}, '--ephemeral');
    listener.signal('SIGINT');
    await ended(bench, listener);

    expect([listener.exitCode(), remaining(bench), registered(bench).length]).toEqual([0, all, 1]);
  });
}

export function describeSignals(on: On, exact: boolean): void {
  on('SIGINT ends an idle listener with 0 and its session with it', async (bench) => {
    const listener = await listening(bench);
    listener.signal('SIGINT');
    await ended(bench, listener);
    await bench.until(() => !bench.host.registry.isOnline(registered(bench)[0]!), minutes / 4);

    expect(listener.output()).toContain('Exiting...');
    expect([listener.exitCode(), remaining(bench)]).toEqual([0, all]);
  });

  on(
    '[rule 19] SIGINT to the listener fails the job that runs, skips its job-completed hook, waits for the Worker, ends with 0',
    async (bench) => {
      const listener = await listening(bench, { ...bench.hook('STARTED', 0), ...bench.hook('COMPLETED', 0) });
      const job = await running(bench);
      await bench.until(() => bench.hookCalls().length === 1, minutes);
      listener.signal('SIGINT');
      await ended(bench, listener);

      expect([listener.exitCode(), job.lostBecause, bench.workers()]).toEqual([0, 'cancelled', 0]);
      expect(bench.hookCalls()).toEqual(['STARTED']);
      // GitHub shows a failure.
      expect(listener.output()).toContain('Job job-1 completed with result: Canceled');
    },
    'always',
  );

  on('a listener that is stopped while its requests are refused, as in silence, ends with 2', async (bench) => {
    const listener = await listening(bench);
    outage(bench);
    listener.signal('SIGINT');
    await ended(bench, listener);

    expect([listener.exitCode(), remaining(bench)]).toEqual([2, all]);
  });

  on(
    'a listener that is stopped while GitHub does not respond waits for half a minute and ends with 0',
    async (bench) => {
      const listener = await listening(bench);
      outage(bench, undefined, 'no-answer');
      const since = bench.engine.clock.now();
      listener.signal('SIGINT');
      await ended(bench, listener, 5 * minutes);

      expect([listener.exitCode(), remaining(bench)]).toEqual([0, all]);
      if (exact) expect(bench.engine.clock.now() - since).toBe(30 * seconds);
    },
    { notOriginal: 'its fast build gives a request up after 5 seconds, before those 30; seen of the build as it is' },
  );

  on('SIGTERM ends the listener and the job within 30 seconds', async (bench) => {
    const listener = await listening(bench);
    const job = await running(bench);
    listener.signal('SIGTERM');
    await ended(bench, listener, 31 * seconds);

    // The original was seen to end with either: its runtime and its own return race.
    expect([0, 143]).toContain(listener.exitCode());
    expect(job.lostBecause).toBe('cancelled');
  });

  on(
    'a job whose listener is killed runs on in its Worker and counts when it ends within the lease',
    async (bench) => {
      const listener = await listening(bench);
      const job = await running(bench, 3 * minutes);
      listener.signal('SIGKILL');
      await ended(bench, listener);
      expect([listener.exitCode(), bench.workers()]).toEqual([137, 1]);
      await over(bench, job, 6 * minutes);

      expect(job.state).toBe('completed');
    },
    'always',
  );

  on('a job whose listener is killed is lost when its lease of ten minutes ends before it does', async (bench) => {
    const listener = await listening(bench);
    const job = await running(bench, 30 * minutes);
    listener.signal('SIGKILL');
    await over(bench, job, 13 * minutes);

    expect([job.lostBecause, bench.workers()]).toEqual(['runner-vanished', 1]);
    if (exact) expect(job.endedAt! - job.acquiredAt!).toBeGreaterThanOrEqual(10 * minutes);
  });

  on('[rule 19] SIGINT to the Worker alone changes nothing', async (bench) => {
    await listening(bench);
    const job = await running(bench, 2 * minutes);
    bench.signalWorker('SIGINT');
    await over(bench, job, 4 * minutes);

    expect(job.state).toBe('completed');
  });

  on('[rule 19] SIGTERM to the Worker fails its job; the listener stays', async (bench) => {
    const listener = await listening(bench);
    const job = await running(bench);
    bench.signalWorker('SIGTERM');
    await over(bench, job);

    expect([failed(job), listener.exitCode()]).toEqual([true, undefined]);
  });

  on('a job whose Worker is killed is failed by its listener at once', async (bench) => {
    const listener = await listening(bench);
    const job = await running(bench);
    bench.signalWorker('SIGKILL');
    await over(bench, job);

    expect([job.lostBecause, listener.exitCode()]).toEqual(['worker-killed', undefined]);
  });
}
