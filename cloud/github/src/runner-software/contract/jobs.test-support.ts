import { expect } from 'vitest';
import { mayMount } from './original.test-support.ts';
import {
  differences,
  momentOf,
  type OutageRun,
  outageKinds,
  prepareOutage,
  seeOutage,
} from './outages.test-support.ts';
import {
  all,
  configured,
  ended,
  listening,
  minutes,
  type On,
  outage,
  over,
  type RunnerBench,
  type RunnerPlatform,
  remaining,
  running,
  seconds,
} from './runner-bench.test-support.ts';
import seenOutages from './seen-outages.json' with { type: 'json' };

export function describeJobs(on: On, exact: boolean): void {
  on('a job has a Worker process, is renewed every minute beyond its lease, and succeeds', async (bench) => {
    const listener = await listening(bench);
    const job = await running(bench, 15 * minutes);
    expect(bench.workers()).toBe(1);
    await over(bench, job, 20 * minutes);
    await bench.until(() => bench.workers() === 0, minutes);

    expect(job).toMatchObject({ state: 'completed', result: 'succeeded' });
    await bench.until(() => listener.output().includes('Job job-1 completed with result: Succeeded'), minutes);
    for (const line of ['Listening for Jobs', 'Running job: job-1', 'Job job-1 completed with result: Succeeded'])
      expect(listener.output()).toMatch(new RegExp(`^[\\d-]{10} [\\d:]{8}Z: ${line}$`, 'm'));
    expect(listener.exitCode()).toBeUndefined();
  });

  on('a job that its listener cannot acquire within 60 seconds is queued again', async (bench) => {
    await listening(bench);
    const back = outage(bench, 'acquirejob');
    const job = bench.host.registry.queue.enqueue({ durationMs: 1_000 });
    await bench.until(() => job.state === 'dispatched', minutes);
    const again = () => bench.engine.journal.entries.some(({ name }) => name === 'queued again');
    await bench.until(again, 2 * minutes);
    expect(job.acquiredAt).toBeUndefined();
    back();
    // The listener prints nothing about it and goes on.
    await bench.until(() => job.acquiredAt !== undefined, 5 * minutes);
  });

  on(
    'hooks run around the job, and it is complete only after the second',
    async (bench) => {
      const hooks = { ...bench.hook('STARTED', 0), ...bench.hook('COMPLETED', 0) };
      await listening(bench, hooks);
      const job = await running(bench, seconds);
      await over(bench, job);

      expect([bench.hookCalls(), job.state]).toEqual([['STARTED', 'COMPLETED'], 'completed']);
    },
    'always',
  );

  for (const name of ['STARTED', 'COMPLETED'] as const)
    on(`[rule 19] a job fails when its job-${name.toLowerCase()} hook ends with 1`, async (bench) => {
      await listening(bench, bench.hook(name, 1));
      const job = bench.host.registry.queue.enqueue({ durationMs: seconds });
      await over(bench, job);

      expect(job).toMatchObject({ state: 'lost', lostBecause: 'hook-failed' });
    });

  on('a job fails when the script of its hook does not exist', async (bench) => {
    await listening(bench, { ACTIONS_RUNNER_HOOK_JOB_STARTED: '/hooks/missing.sh' });
    const job = bench.host.registry.queue.enqueue({ durationMs: seconds });
    await over(bench, job);

    expect(job).toMatchObject({ state: 'lost', lostBecause: 'hook-failed' });
  });

  on('a job hangs for as long as its hook does', async (bench) => {
    await listening(bench, bench.hook('STARTED', 'hangs'));
    const job = await running(bench, seconds);
    await bench.pass(exact ? 60 * minutes : 3 * minutes);

    expect([job.state, bench.workers()]).toEqual(['running', 1]);
  });

  on(
    'a job fails when the disk of its machine is full: the Worker dies and the listener says so',
    async (bench) => {
      const listener = await listening(bench);
      bench.fillDisk();
      const job = bench.host.registry.queue.enqueue({ durationMs: seconds });
      await over(bench, job, 5 * minutes);
      await bench.until(() => listener.output().includes('Job job-1 completed with result: Failed'), minutes);

      expect([job.lostBecause, listener.exitCode()]).toEqual(['worker-killed', undefined]);
    },
    { notOriginal: 'it needs the right to mount a small disk', unless: mayMount },
  );

  const bothHooks = (bench: RunnerBench) => ({ ...bench.hook('STARTED', 0), ...bench.hook('COMPLETED', 0) });
  const failedLine = (id: number) => `Job job-${id} completed with result: Failed`;

  on(
    'every job fails within seconds and without its hooks once .runner is gone, and the listener goes on taking them',
    async (bench) => {
      const listener = await listening(bench, bothHooks(bench));
      bench.remove('.runner');
      for (const id of [1, 2]) {
        const job = bench.host.registry.queue.enqueue({ durationMs: 60 * minutes });
        await over(bench, job, 5 * minutes);
        expect(job.lostBecause).toBe('worker-killed');
        await bench.until(() => listener.output().includes(failedLine(id)), minutes);
      }

      expect([bench.hookCalls(), listener.exitCode()]).toEqual([[], undefined]);
    },
    'always',
  );

  on('a job fails without its hooks where its work folder cannot be made', async (bench) => {
    const listener = await listening(bench, bothHooks(bench));
    if (bench.files().includes('_work')) bench.remove('_work');
    bench.write('_work', '');
    const job = bench.host.registry.queue.enqueue({ durationMs: seconds });
    await over(bench, job, 5 * minutes);
    await bench.until(() => listener.output().includes(failedLine(1)), minutes);

    expect([job.lostBecause, bench.hookCalls(), listener.exitCode()]).toEqual(['worker-killed', [], undefined]);
  });

  on(
    'a job with an action that does not exist fails without its hooks by itself, and the next one runs',
    async (bench) => {
      const listener = await listening(bench, bothHooks(bench));
      const job = bench.host.registry.queue.enqueue({ durationMs: seconds, uses: 'example-org/missing@v1' });
      await over(bench, job, 25 * minutes);
      await bench.until(() => listener.output().includes(failedLine(1)), minutes);
      expect([job.state, job.result, bench.hookCalls()]).toEqual(['completed', 'failed', []]);
      const next = await running(bench, seconds);
      await over(bench, next);

      expect(next.result).toBe('succeeded');
    },
  );

  on('a job is cancelled when the registration of its runner is deleted', async (bench) => {
    const listener = await listening(bench);
    await running(bench);
    bench.host.registry.index.get(1)!.busyReports = [];
    bench.host.registry.remove(1);
    await ended(bench, listener);

    expect([listener.exitCode(), bench.workers(), remaining(bench)]).toEqual([0, 0, []]);
  });
}

/** Rows that need a shell, which simulated machines do not have. */
export function describeSteps(on: On, kind: RunnerPlatform['kind']): void {
  const enqueue = ({ host }: RunnerBench, script: string) => host.registry.queue.enqueue({ durationMs: 0, script });

  on(
    'steps and hooks run in the workspace of the repository below _work, and _work/_temp is empty after the job',
    async (bench) => {
      await listening(bench, bench.hook('STARTED', 0));
      const job = enqueue(bench, 'pwd > ../../../step; ls -A ../../_temp | wc -l > ../../../temporary');
      await over(bench, job);

      expect(bench.read('step')).toMatch(/\/_work\/example\/example\n$/);
      expect(bench.files()).toContainEqual(expect.stringMatching(/^_diag\/Worker_\d{8}-\d{6}-utc\.log$/));
      expect(bench.read('hook-folder')).toMatch(/\/_work\/example\/example\n$/);
      expect(bench.files().filter((name) => name.startsWith('_work/_temp/'))).toEqual([]);
    },
    'always',
  );

  on(
    'a process that a step left behind holds the step up for five seconds, and is killed when the job ends',
    async (bench) => {
      await listening(bench);
      const job = enqueue(bench, 'sleep 607 & echo $! > ../../../left');
      await over(bench, job);

      expect(job.result).toBe('succeeded');
      await bench.until(() => !isAlive(bench.read('left')!), minutes);
    },
  );

  on('a process that has taken RUNNER_TRACKING_ID out of its environment outlives its job', async (bench) => {
    await listening(bench);
    const job = enqueue(bench, 'RUNNER_TRACKING_ID= setsid sleep 60 > /dev/null 2>&1 & echo $! > ../../../left');
    await over(bench, job);
    await bench.until(() => bench.workers() === 0, minutes);

    expect([job.result, isAlive(bench.read('left')!)]).toEqual(['succeeded', true]);
    process.kill(Number(bench.read('left')), 'SIGKILL');
  });

  on('the step of a job that is stopped gets SIGINT, then SIGTERM, then SIGKILL', async (bench) => {
    const listener = await listening(bench);
    const note = (name: string) => `trap 'echo ${name} >> ../../../signals' ${name}`;
    enqueue(bench, `${note('INT')}\n${note('TERM')}\ntouch ../../../ready\nwhile [ $SECONDS -lt 60 ]; do :; done`);
    await bench.until(() => bench.files().includes('ready'), 2 * minutes);
    listener.signal('SIGINT');
    await ended(bench, listener);

    // At the speed of the stand-in 40 ms lie between the last two: a busy machine may miss the first of them.
    expect(bench.read('signals')).toMatch(kind === 'original' ? /^INT\nTERM\n$/ : /^INT\n(TERM\n)?$/);
    expect([listener.exitCode(), bench.workers()]).toEqual([0, 0]);
  });
}

function isAlive(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

export function describeOutages(on: On, exact: boolean): void {
  on('an idle listener whose polls fail at once says so once, and ends with 2 after 6 to 16 minutes', async (bench) => {
    const listener = await listening(bench);
    const since = bench.engine.clock.now();
    outage(bench, 'message');
    await ended(bench, listener, 20 * minutes);

    expect(listener.output().match(/Runner connect error/g)).toHaveLength(1);
    expect([listener.exitCode(), remaining(bench)]).toEqual([2, all]);
    const tookMs = bench.engine.clock.now() - since;
    expect(tookMs).toBeGreaterThan(5 * minutes);
    if (exact) expect(tookMs).toBeLessThan(18 * minutes);
  });

  on('an idle listener goes on after an outage of three minutes', async (bench) => {
    const listener = await listening(bench);
    const back = outage(bench);
    await bench.pass(3 * minutes);
    back();
    const job = await running(bench, seconds);
    await over(bench, job);

    expect([listener.exitCode(), job.state]).toEqual([undefined, 'completed']);
  });

  on('a listener that starts during an outage says that it is connected, and waits until it is over', async (bench) => {
    await configured(bench);
    const back = outage(bench);
    const listener = bench.listen();
    await bench.pass(exact ? 60 * minutes : 10 * minutes);
    expect(listener.exitCode()).toBeUndefined();
    expect(listener.output()).toMatch(/Connected to GitHub/);
    back();
    await bench.until(() => listener.output().includes('Listening for Jobs'), 2 * minutes);
  });

  on(
    'a running job is abandoned when one renewal fails five times, although its lease has minutes left',
    async (bench) => {
      const listener = await listening(bench);
      const job = await running(bench);
      const back = outage(bench, 'renewjob');
      await over(bench, job, 4 * minutes);
      back();

      expect(job.lostBecause).toBe('abandoned');
      expect(job.unanswered).toBeGreaterThanOrEqual(5);
      if (exact) expect(job.endedAt! - job.startedAt!).toBeLessThan(2 * minutes + seconds);
      await bench.until(() => listener.output().includes('completed with result: Abandoned'), minutes);
      expect(listener.exitCode()).toBeUndefined();
    },
    'always',
  );

  on('a running job survives an outage that is over before its next renewal has failed five times', async (bench) => {
    await listening(bench);
    const job = await running(bench, 4 * minutes);
    const back = outage(bench, 'renewjob');
    await bench.until(() => (job.unanswered ?? 0) >= 2, 3 * minutes);
    back();
    await over(bench, job, 8 * minutes);

    expect(job.state).toBe('completed');
  });

  on('a job that ends during an outage is lost: its Worker gives up with the result in hand', async (bench) => {
    await listening(bench);
    const job = await running(bench, 30 * seconds);
    outage(bench);
    await bench.until(() => bench.workers() === 0, 8 * minutes);
    expect(job.state).toBe('running');
    await over(bench, job, 12 * minutes);

    expect(job.lostBecause).toBe('runner-vanished');
    expect(job.unanswered).toBeGreaterThanOrEqual(5);
  });

  on('a listener fails a job whose Worker could not report its result, as soon as GitHub is back', async (bench) => {
    const listener = await listening(bench);
    const job = await running(bench, seconds);
    const back = outage(bench, 'completejob');
    await bench.until(() => bench.workers() === 0, 10 * minutes);
    expect(job.state).toBe('running');
    back();
    await over(bench, job, 2 * minutes);

    expect([job.lostBecause, listener.exitCode()]).toEqual(['worker-killed', undefined]);
  });

  on('ten failed polls end the listener with 2, and cancel the job that runs', async (bench) => {
    const listener = await listening(bench);
    const job = await running(bench);
    outage(bench, 'message');
    await ended(bench, listener, 20 * minutes);

    expect([listener.exitCode(), job.lostBecause]).toEqual([2, 'cancelled']);
  });
}

/** The line by which a listener says that it has acquired a job; the first renewal and the Worker follow. */
const begun = /Running job: job-1/;

/** A job between its acquisition and its first renewal. */
export function describeBeginnings(on: On): void {
  on(
    'a job that cannot be renewed yet is lost when its listener is stopped: it has no Worker, and GitHub hears nothing',
    async (bench) => {
      const listener = await listening(bench);
      outage(bench, 'renewjob');
      const job = bench.host.registry.queue.enqueue({ durationMs: seconds });
      await bench.until(() => begun.test(listener.output()), 2 * minutes);
      await bench.pass(6 * seconds);
      listener.signal('SIGINT');
      await ended(bench, listener);

      expect([listener.exitCode(), bench.workers(), job.endedAt]).toEqual([0, 0, undefined]);
      expect(listener.output()).not.toContain('completed with result');
      await over(bench, job, 12 * minutes);
      expect(job.lostBecause).toBe('runner-vanished');
    },
  );

  on(
    'a job whose first renewal never succeeds has no Worker, and the listener says nothing of its end',
    async (bench) => {
      const listener = await listening(bench);
      const back = outage(bench, 'renewjob');
      const job = bench.host.registry.queue.enqueue({ durationMs: seconds });
      await bench.until(() => begun.test(listener.output()), 2 * minutes);
      await over(bench, job, 15 * minutes);
      back();
      expect([job.lostBecause, bench.workers(), listener.exitCode()]).toEqual(['runner-vanished', 0, undefined]);
      expect(listener.output()).not.toContain('completed with result');
      const next = await running(bench, seconds);
      await over(bench, next, 5 * minutes);

      expect(next.state).toBe('completed');
    },
  );

  on(
    'a job that cannot be renewed yet starts as soon as it can',
    async (bench) => {
      const listener = await listening(bench);
      const back = outage(bench, 'renewjob');
      const job = bench.host.registry.queue.enqueue({ durationMs: seconds });
      await bench.until(() => begun.test(listener.output()), 2 * minutes);
      await bench.pass(15 * seconds);
      expect([job.startedAt, bench.workers()]).toEqual([undefined, 0]);
      back();
      await over(bench, job);

      expect(job.state).toBe('completed');
    },
    'always',
  );
}

/** On a virtual clock: the figures are the original's own (`npm run test:runner -- outages`). */
export function describeSeenOutages(on: On, platform: RunnerPlatform): void {
  const runs = 20;
  for (const how of outageKinds)
    on(
      `GitHub away (${how}) cancels the step of a job, and ends its listener with 2, when the original does`,
      async () => {
        const own: OutageRun[] = [];
        for (let run = 0; run < runs; run++)
          own.push(await seeOutage(platform, await prepareOutage(platform, run + 1), how, momentOf(run, runs)));

        for (const what of ['step', 'listener'] as const)
          expect(
            differences(
              seenOutages[how].map((run) => run[what]),
              own.map((run) => run[what]),
            ),
          ).toEqual([]);
      },
    );

  on('the token service away alone ends no job and no listener', async (bench) => {
    const listener = await listening(bench);
    const job = await running(bench, 60 * minutes);
    outage(bench, 'token');
    await over(bench, job, 70 * minutes);

    expect([job.state, listener.exitCode()]).toEqual(['completed', undefined]);
  });
}
