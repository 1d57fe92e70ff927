import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  configuration,
  configured,
  ended,
  listening,
  minutes,
  outage,
  over,
  type RunnerBench,
  type RunnerPlatform,
  running,
  seconds,
  tokenOf,
  usual,
} from './runner-bench.test-support.ts';

const all = ['.credentials', '.credentials_rsaparams', '.runner'];

/** What GitHub's runner software does on its host, row by row; whatever stands in for it must do the same. */
export function describeRunnerSoftware(platform: RunnerPlatform): void {
  describe(`the runner software on ${platform.name}`, () => {
    let bench: RunnerBench;
    beforeEach(async () => {
      bench = await platform.open();
    });
    afterEach(() => bench.close());
    describe('config.sh', () => describeConfiguration(() => bench));
    describe('Runner.Listener', () => describeListener(() => bench, platform.exact));
    describe('a job', () => describeJobs(() => bench, platform.exact));
    describe('an outage of GitHub', () => describeOutages(() => bench, platform.exact));
    describe('a signal', () => describeSignals(() => bench, platform.exact));
    describe('an ephemeral runner', () => describeEphemeral(() => bench));
  });
}

const remaining = (bench: RunnerBench) => configuration(bench);
const registered = ({ host }: RunnerBench) => host.registry.runners;
const labelsOf = (bench: RunnerBench) => registered(bench)[0]!.labels;

function describeConfiguration(get: () => RunnerBench): void {
  it('config.sh on a fresh machine registers the runner, writes its files and ends with 0', async () => {
    const bench = get();
    const { code, output } = await bench.config([...usual, '--disableupdate'], tokenOf(bench));

    expect(output).toContain('√ Runner successfully added');
    expect(output).toContain('√ Settings Saved.');
    expect([code, remaining(bench)]).toEqual([0, all]);
    for (const name of ['.env', '.path', 'svc.sh']) expect(bench.read(name)).toBeDefined();
    expect(JSON.parse(bench.read('.runner')!)).toMatchObject({ agentId: 1, agentName: 'runner', disableUpdate: true });
    expect(registered(bench).map(({ name, session }) => [name, session])).toEqual([['runner', undefined]]);
  });

  it.each([[], ['--replace']])(
    'config.sh refuses a machine that is configured, without a request (%s)',
    async (...more) => {
      const bench = get();
      await configured(bench);
      const before = bench.read('.runner');
      outage(bench);
      const { code, output } = await bench.config([...usual, ...more.flat()], tokenOf(bench));

      expect(output).toContain('Cannot configure the runner because it is already configured');
      expect([code, bench.read('.runner')]).toEqual([1, before]);
      expect(bench.engine.journal.entries.filter(({ kind }) => kind === 'fault')).toEqual([]);
    },
  );

  it('config.sh ends with 1 when GitHub has a runner of the same name and it may not replace it', async () => {
    const bench = get();
    await configured(bench);
    await bench.config(['remove', '--local']);
    const { code, output } = await bench.config(usual, tokenOf(bench));

    expect(output).toContain('A runner exists with the same name');
    expect([code, remaining(bench)]).toEqual([1, ['.credentials_rsaparams']]);
  });

  it('config.sh --replace takes the registration over: same id, other labels, and the credentials before are void', async () => {
    const bench = get();
    await configured(bench, '--no-default-labels', '--labels', 'self-hosted,old');
    const before = JSON.parse(bench.read('.credentials')!) as unknown;
    await bench.config(['remove', '--local']);
    const again = [...usual, '--replace', '--no-default-labels', '--labels', 'self-hosted,new'];
    const { code, output } = await bench.config(again, tokenOf(bench));

    expect(output).toContain('√ Successfully replaced the runner');
    expect([code, labelsOf(bench)]).toEqual([0, ['self-hosted', 'new']]);
    expect(JSON.parse(bench.read('.runner')!)).toMatchObject({ agentId: 1 });
    bench.write('.credentials', JSON.stringify(before));
    const listener = bench.listen();
    await ended(bench, listener);
    expect([listener.exitCode(), remaining(bench)]).toEqual([1, all]);
  });

  it('config.sh ends with 1 on a wrong token and writes nothing', async () => {
    const bench = get();
    const { code, output } = await bench.config(usual, { ACTIONS_RUNNER_INPUT_TOKEN: 'AWRONG' });

    expect(output).toMatch(/Http response code: NotFound from 'POST .*runner-registration'/);
    expect([code, remaining(bench), registered(bench)]).toEqual([1, [], []]);
  });

  it('config.sh takes the token as an option too, and ends with 1 without one', async () => {
    const bench = get();
    const without = await bench.config(usual);
    const { token } = bench.host.registry.mintToken('registration');
    const given = await bench.config([...usual, '--token', token]);

    expect([without.code, given.code]).toEqual([1, 0]);
    expect(without.output).toContain('Invalid configuration provided for token');
  });

  it('config.sh ends with 1 when its version is below the minimum that GitHub registers', async () => {
    const bench = get();
    bench.host.registry.minimumVersion = '2.329.0';
    bench.write('.version', '2.328.9\n');
    const { code } = await bench.config(usual, tokenOf(bench));
    bench.write('.version', '2.329.0\n');
    const newer = await bench.config(usual, tokenOf(bench));

    expect([code, newer.code]).toEqual([1, 0]);
  });

  it('config.sh ends with 1 on an unknown group, an unknown option and missing labels', async () => {
    const bench = get();
    const group = await bench.config([...usual, '--runnergroup', 'nobody'], tokenOf(bench));
    const option = await bench.config([...usual, '--speed', '1'], tokenOf(bench));
    const labels = await bench.config([...usual, '--no-default-labels'], tokenOf(bench));

    expect([group.code, option.code, labels.code]).toEqual([1, 1, 1]);
    expect(group.output).toContain('Could not find any self-hosted runner group named "nobody"');
  });

  it('config.sh remove --local deletes the files only, and ends with 0 also when there are none', async () => {
    const bench = get();
    await configured(bench);
    const first = await bench.config(['remove', '--local']);
    const second = await bench.config(['remove', '--local']);

    expect([first.code, second.code, remaining(bench)]).toEqual([0, 0, []]);
    expect(first.output).toContain('Removed .runner');
    expect(second.output).toContain('Does not exist. Skipping Removing .runner');
    expect(registered(bench)).toHaveLength(1);
  });

  it('config.sh remove --token deletes the registration at GitHub and the files', async () => {
    const bench = get();
    await configured(bench);
    const { token } = bench.host.registry.mintToken('remove');
    const { code } = await bench.config(['remove', '--token', token]);

    expect([code, remaining(bench), registered(bench)]).toEqual([0, [], []]);
  });

  it('config.sh during an outage tries three times and ends with 1', async () => {
    const bench = get();
    outage(bench);
    const { code } = await bench.config(usual, tokenOf(bench));

    expect([code, remaining(bench)]).toEqual([1, []]);
    expect(bench.engine.journal.entries.filter(({ kind }) => kind === 'fault')).toHaveLength(3);
  });
}

function describeListener(get: () => RunnerBench, exact: boolean): void {
  it('the listener ends with 1 when the runner is not configured', async () => {
    const bench = get();
    const listener = bench.listen();
    await ended(bench, listener);

    expect(listener.output()).toContain('Not configured');
    expect(listener.exitCode()).toBe(1);
  });

  it('the listener connects, says so, is online and writes a log', async () => {
    const bench = get();
    const listener = await listening(bench);

    expect(listener.output()).toMatch(/√ Connected to GitHub.*Listening for Jobs/s);
    expect(bench.host.registry.isOnline(registered(bench)[0]!)).toBe(true);
    expect(bench.files().filter((name) => /^_diag\/Runner_.*-utc\.log$/.test(name))).toHaveLength(1);
  });

  it('--jitconfig writes over a configuration that is there; a broken one ends with 1', async () => {
    const bench = get();
    await configured(bench, '--replace');
    const files = Object.fromEntries(all.map((name) => [name, Buffer.from(bench.read(name)!).toString('base64')]));
    bench.write('.runner', '{"agentId":99}');
    const jitConfig = Buffer.from(JSON.stringify(files)).toString('base64');
    const broken = bench.listen({ args: ['--jitconfig', 'bm90IEpTT04='] });
    await ended(bench, broken);
    const listener = bench.listen({ args: ['--jitconfig', jitConfig] });
    await bench.until(() => listener.output().includes('Listening for Jobs'), minutes);

    expect(broken.exitCode()).toBe(1);
    expect(JSON.parse(bench.read('.runner')!)).toMatchObject({ agentId: 1 });
  });

  it('the listener ends with 0 and deletes its files when its registration is deleted while it polls', async () => {
    const bench = get();
    const listener = await listening(bench);
    bench.host.registry.remove(1);
    await ended(bench, listener);

    expect(listener.output()).toContain('The runner no longer exists on the server. Cleaning up local configuration.');
    expect([listener.exitCode(), remaining(bench)]).toEqual([0, []]);
  });

  it('the listener ends with 1 and keeps its files when its registration was deleted before it starts', async () => {
    const bench = get();
    await configured(bench);
    bench.host.registry.remove(1);
    const listener = bench.listen();
    await ended(bench, listener);

    expect(listener.output()).toContain('The runner registration has been deleted from the server');
    expect([listener.exitCode(), remaining(bench)]).toEqual([1, all]);
  });

  it.each([
    [1, {}],
    [7, { ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE: '1' }],
  ])('a deprecated listener listens first, then ends with %i (%o)', async (code, env) => {
    const bench = get();
    bench.host.registry.deprecate('2.336.0');
    const listener = await listening(bench, env as Record<string, string>);
    await ended(bench, listener);

    expect([listener.exitCode(), remaining(bench)]).toEqual([code, all]);
  });

  it('a version that is deprecated while a job runs ends the listener, and the job with it', async () => {
    const bench = get();
    const listener = await listening(bench);
    const job = await running(bench);
    bench.host.registry.deprecate('2.336.0');
    await ended(bench, listener);

    expect([listener.exitCode(), job.lostBecause]).toEqual([1, 'cancelled']);
  });

  it('a second listener is refused every 30 seconds and ends with 5 after about four minutes', async () => {
    const bench = get();
    await listening(bench);
    const startedAt = bench.engine.clock.now();
    const second = bench.listen();
    await ended(bench, second, 5 * minutes);

    expect(second.output().match(/A session for this runner already exists\./g)).toHaveLength(8);
    expect(second.exitCode()).toBe(5);
    if (exact) expect(bench.engine.clock.now() - startedAt).toBe(210 * seconds);
  });

  it('a listener that is started after its predecessor was killed waits until GitHub has dropped the session', async () => {
    const bench = get();
    const first = await listening(bench);
    first.signal('SIGKILL');
    await ended(bench, first);
    const second = bench.listen();
    await bench.until(() => second.output().includes('Listening for Jobs'), 4 * minutes);

    expect([first.exitCode(), second.exitCode()]).toEqual([137, undefined]);
    expect(second.output()).toContain('A session for this runner already exists.');
  });
}

function describeJobs(get: () => RunnerBench, exact: boolean): void {
  it('a job has a Worker process, is renewed every minute beyond its lease, and succeeds', async () => {
    const bench = get();
    const listener = await listening(bench);
    const job = await running(bench, 15 * minutes);
    expect(bench.workers()).toBe(1);
    await over(bench, job, 20 * minutes);
    await bench.until(() => bench.workers() === 0, minutes);

    expect(job).toMatchObject({ state: 'completed', result: 'succeeded' });
    await bench.until(() => listener.output().includes('Job job-1 completed with result: Succeeded'), minutes);
    expect(listener.output()).toContain('Running job: job-1');
    expect(listener.exitCode()).toBeUndefined();
  });

  it('a job that its listener cannot acquire within 60 seconds is queued again', async () => {
    const bench = get();
    await listening(bench);
    const back = outage(bench, 'acquirejob');
    const job = bench.host.registry.queue.enqueue({ durationMs: 1_000 });
    await bench.until(() => job.state === 'dispatched', minutes);
    await bench.until(() => job.state === 'queued', 2 * minutes);
    back();

    expect(job.acquiredAt).toBeUndefined();
  });

  it('hooks run around the job, and it is complete only after the second', async () => {
    const bench = get();
    const hooks = { ...bench.hook('STARTED', 0), ...bench.hook('COMPLETED', 0) };
    await listening(bench, hooks);
    const job = await running(bench, seconds);
    await over(bench, job);

    expect([bench.hookCalls(), job.state]).toEqual([['STARTED', 'COMPLETED'], 'completed']);
  });

  it.each(['STARTED', 'COMPLETED'] as const)('[rule 19] a job fails when its job-%s hook ends with 1', async (name) => {
    const bench = get();
    await listening(bench, bench.hook(name, 1));
    const job = bench.host.registry.queue.enqueue({ durationMs: seconds });
    await over(bench, job);

    expect(job).toMatchObject({ state: 'lost', lostBecause: 'hook-failed' });
  });

  it('a job fails when the script of its hook does not exist', async () => {
    const bench = get();
    await listening(bench, { ACTIONS_RUNNER_HOOK_JOB_STARTED: '/hooks/missing.sh' });
    const job = bench.host.registry.queue.enqueue({ durationMs: seconds });
    await over(bench, job);

    expect(job).toMatchObject({ state: 'lost', lostBecause: 'hook-failed' });
  });

  it('a job hangs for as long as its hook does', async () => {
    const bench = get();
    await listening(bench, bench.hook('STARTED', 'hangs'));
    const job = await running(bench, seconds);
    await bench.pass(exact ? 60 * minutes : 3 * minutes);

    expect([job.state, bench.workers()]).toEqual(['running', 1]);
  });

  it('a job fails when the disk of its machine is full: the Worker dies and the listener says so', async () => {
    const bench = get();
    await listening(bench);
    bench.fillDisk();
    const job = bench.host.registry.queue.enqueue({ durationMs: seconds });
    await over(bench, job);

    expect(job).toMatchObject({ state: 'lost', lostBecause: 'worker-killed' });
  });

  it('a job is cancelled when the registration of its runner is deleted', async () => {
    const bench = get();
    const listener = await listening(bench);
    await running(bench);
    bench.host.registry.index.get(1)!.busyReports = [];
    bench.host.registry.remove(1);
    await ended(bench, listener);

    expect([listener.exitCode(), bench.workers(), remaining(bench)]).toEqual([0, 0, []]);
  });
}

function describeOutages(get: () => RunnerBench, exact: boolean): void {
  it('an idle listener says once that it lost GitHub, and ends with 2 after 6 to 16 minutes', async () => {
    const bench = get();
    const listener = await listening(bench);
    const since = bench.engine.clock.now();
    outage(bench);
    await ended(bench, listener, 20 * minutes);

    expect(listener.output().match(/Runner connect error/g)).toHaveLength(1);
    expect([listener.exitCode(), remaining(bench)]).toEqual([2, all]);
    const tookMs = bench.engine.clock.now() - since;
    expect(tookMs).toBeGreaterThan(5 * minutes);
    if (exact) expect(tookMs).toBeLessThan(18 * minutes);
  });

  it('an idle listener goes on after an outage of three minutes', async () => {
    const bench = get();
    const listener = await listening(bench);
    const back = outage(bench);
    await bench.pass(3 * minutes);
    back();
    const job = await running(bench, seconds);
    await over(bench, job);

    expect([listener.exitCode(), job.state]).toEqual([undefined, 'completed']);
  });

  it('a listener that starts during an outage waits until it is over', async () => {
    const bench = get();
    await configured(bench);
    const back = outage(bench);
    const listener = bench.listen();
    await bench.pass(exact ? 60 * minutes : 10 * minutes);
    expect(listener.exitCode()).toBeUndefined();
    back();
    await bench.until(() => listener.output().includes('Listening for Jobs'), 2 * minutes);
  });

  it('a running job is abandoned when one renewal fails five times, although its lease has minutes left', async () => {
    const bench = get();
    const listener = await listening(bench);
    const job = await running(bench);
    const back = outage(bench, 'renewjob');
    await over(bench, job, 4 * minutes);
    back();

    expect(job).toMatchObject({ lostBecause: 'abandoned', unanswered: 5 });
    if (exact) expect(job.endedAt! - job.startedAt!).toBeLessThan(2 * minutes + seconds);
    await bench.until(() => listener.output().includes('completed with result: Abandoned'), minutes);
    expect(listener.exitCode()).toBeUndefined();
  });

  it('a running job survives an outage that is over before its next renewal has failed five times', async () => {
    const bench = get();
    await listening(bench);
    const job = await running(bench, 4 * minutes);
    const back = outage(bench, 'renewjob');
    await bench.until(() => (job.unanswered ?? 0) === 2, 3 * minutes);
    back();
    await over(bench, job, 8 * minutes);

    expect(job.state).toBe('completed');
  });

  it('a job that ends during an outage is lost: its Worker gives up with the result in hand', async () => {
    const bench = get();
    await listening(bench);
    const job = await running(bench, 30 * seconds);
    outage(bench);
    await bench.until(() => bench.workers() === 0, 8 * minutes);
    expect(job.state).toBe('running');
    await over(bench, job, 12 * minutes);

    expect(job.lostBecause).toBe('runner-vanished');
    expect(job.unanswered).toBeGreaterThanOrEqual(5);
  });

  it('ten failed polls end the listener with 2, and the job that runs', async () => {
    const bench = get();
    const listener = await listening(bench);
    const job = await running(bench);
    outage(bench, 'message');
    await ended(bench, listener, 20 * minutes);

    expect([listener.exitCode(), job.lostBecause]).toEqual([2, 'cancelled']);
  });
}

function describeSignals(get: () => RunnerBench, exact: boolean): void {
  it('SIGINT ends an idle listener with 0 and its session with it', async () => {
    const bench = get();
    const listener = await listening(bench);
    listener.signal('SIGINT');
    await ended(bench, listener);
    await bench.until(() => !bench.host.registry.isOnline(registered(bench)[0]!), minutes / 4);

    expect(listener.output()).toContain('Exiting...');
    expect([listener.exitCode(), remaining(bench)]).toEqual([0, all]);
  });

  it('[rule 19] SIGINT to the listener fails the job that runs, skips its job-completed hook, waits for the Worker, ends with 0', async () => {
    const bench = get();
    const listener = await listening(bench, { ...bench.hook('STARTED', 0), ...bench.hook('COMPLETED', 0) });
    const job = await running(bench);
    await bench.until(() => bench.hookCalls().length === 1, minutes);
    listener.signal('SIGINT');
    await ended(bench, listener);

    expect([listener.exitCode(), job.lostBecause, bench.workers()]).toEqual([0, 'cancelled', 0]);
    expect(bench.hookCalls()).toEqual(['STARTED']);
  });

  it('SIGTERM ends the listener and the job within 30 seconds', async () => {
    const bench = get();
    const listener = await listening(bench);
    const job = await running(bench);
    listener.signal('SIGTERM');
    await ended(bench, listener, 31 * seconds);

    expect([listener.exitCode(), job.lostBecause]).toEqual([143, 'cancelled']);
  });

  it('a job whose listener is killed runs on in its Worker and counts when it ends within the lease', async () => {
    const bench = get();
    const listener = await listening(bench);
    const job = await running(bench, 5 * minutes);
    listener.signal('SIGKILL');
    await ended(bench, listener);
    expect([listener.exitCode(), bench.workers()]).toEqual([137, 1]);
    await over(bench, job, 6 * minutes);

    expect(job.state).toBe('completed');
  });

  it('a job whose listener is killed is lost when its lease of ten minutes ends before it does', async () => {
    const bench = get();
    const listener = await listening(bench);
    const job = await running(bench, 30 * minutes);
    listener.signal('SIGKILL');
    await over(bench, job, 13 * minutes);

    expect([job.lostBecause, bench.workers()]).toEqual(['runner-vanished', 1]);
    if (exact) expect(job.endedAt! - job.acquiredAt!).toBeGreaterThanOrEqual(10 * minutes);
  });

  it('[rule 19] SIGINT to the Worker alone changes nothing', async () => {
    const bench = get();
    await listening(bench);
    const job = await running(bench, 2 * minutes);
    bench.signalWorker('SIGINT');
    await over(bench, job, 4 * minutes);

    expect(job.state).toBe('completed');
  });

  it('[rule 19] SIGTERM to the Worker fails its job; the listener stays', async () => {
    const bench = get();
    const listener = await listening(bench);
    const job = await running(bench);
    bench.signalWorker('SIGTERM');
    await over(bench, job);

    expect([job.lostBecause, listener.exitCode()]).toEqual(['cancelled', undefined]);
  });

  it('a job whose Worker is killed is failed by its listener at once', async () => {
    const bench = get();
    const listener = await listening(bench);
    const job = await running(bench);
    bench.signalWorker('SIGKILL');
    await over(bench, job);

    expect([job.lostBecause, listener.exitCode()]).toEqual(['worker-killed', undefined]);
  });
}

function describeEphemeral(get: () => RunnerBench): void {
  it('an ephemeral runner ends with 0 after its job, deletes its files, and GitHub forgets it', async () => {
    const bench = get();
    const listener = await listening(bench, {}, '--ephemeral');
    const job = await running(bench, seconds);
    await ended(bench, listener);

    expect([listener.exitCode(), remaining(bench), registered(bench)]).toEqual([0, [], []]);
    expect(job.state).toBe('completed');
  });

  it('an ephemeral runner whose job vanished at the acknowledgement ends with 0 without a job', async () => {
    const bench = get();
    const listener = await listening(bench, {}, '--ephemeral');
    const effect = { kind: 'error', status: 404 } as const;
    bench.engine.faults.add({ service: 'platform', operation: 'acknowledge', effect });
    const job = bench.host.registry.queue.enqueue({ durationMs: seconds });
    await ended(bench, listener);

    expect([listener.exitCode(), remaining(bench), job.startedAt]).toEqual([0, [], undefined]);
  });

  it.each([404, 409])(
    'an ephemeral runner whose acquisition is answered %i stays as a ghost: not listed, silent',
    async (status) => {
      const bench = get();
      const listener = await listening(bench, {}, '--ephemeral');
      const effect = { kind: 'error', status } as const;
      bench.engine.faults.add({ service: 'platform', operation: 'acquirejob', times: 1, effect });
      bench.host.registry.queue.enqueue({ durationMs: seconds });
      await bench.until(() => registered(bench).length === 0, minutes);
      await bench.pass(5 * minutes);

      expect([listener.exitCode(), bench.workers(), remaining(bench)]).toEqual([undefined, 0, all]);
    },
  );

  it('an ephemeral runner that is stopped before its job stays registered', async () => {
    const bench = get();
    const listener = await listening(bench, {}, '--ephemeral');
    listener.signal('SIGINT');
    await ended(bench, listener);

    expect([listener.exitCode(), remaining(bench), registered(bench).length]).toEqual([0, all, 1]);
  });
}
