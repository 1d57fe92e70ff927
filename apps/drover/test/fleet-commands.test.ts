import type { Job } from '@drover/cloud-github';
import { FleetStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { drover } from './operator.test-support.ts';

/** Without the head, which has the age of the instance. */
const sentences = (story: string) => story.split('\n').filter((line) => line.startsWith('  '));

describe('drover fleet', () => {
  let stage: FleetStage;
  let instance: string;

  beforeAll(async () => {
    stage = await FleetStage.open({ asgMinSize: 2 });
    await stage.untilOnline(2);
    await stage.pass(5);
    instance = stage.online[0]!;
  });

  it('status shows capacity, runners, which losses it survives, alarms and the rate limit', async () => {
    const { exitCode, stdout } = await drover(stage, 'fleet', 'status');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/capacity +2 desired, between 2 and 4/);
    expect(stdout).toMatch(/instances +2 InService/);
    expect(stdout).toMatch(/runners +2 idle, 0 busy, 0 offline/);
    expect(stdout).toMatch(
      /as configured +it survives the loss of any one machine, or any one of \d zones, or any run of a function\n/,
    );
    expect(stdout).toMatch(/platform +\d+ of 5000 requests left/);
    const { stdout: text } = await drover(stage, 'fleet', 'status', '--format', 'json');
    expect(JSON.parse(text)).toMatchObject({ capacity: { desired: 2 }, runners: { idle: 2, withoutInstance: 0 } });
  });

  it('runners shows id, name, status, busy, instance and lifecycle state', async () => {
    const { stdout } = await drover(stage, 'fleet', 'runners');
    expect(stdout).toMatch(/^id +name +status +busy +instance +lifecycle state\n/);
    expect(stdout).toMatch(new RegExp(`\\d+ +${instance} +online +false +${instance} +InService`));
  });

  it('installations says that there is none, and prints an empty list as JSON', async () => {
    const { exitCode, stdout } = await drover(stage, 'fleet', 'installations');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^no app is installed on \S+\n$/);
    expect((await drover(stage, 'fleet', 'installations', '--format', 'json')).stdout).toBe('[]\n');
  });

  it('rate-limit shows what is left', async () => {
    const { stdout } = await drover(stage, 'fleet', 'rate-limit');
    expect(stdout).toMatch(/requests +5000 +\d+ +\d+ +in \d+ (min|s)/);
  });

  it('logs shows the log lines of a function, by its suffix or its name', async () => {
    const { stdout } = await drover(stage, 'fleet', 'logs', 'registration');
    expect(stdout).toContain(`"instance":"${instance}"`);
    // Neither what Lambda writes about each run, nor its time, id and level before each line.
    expect(stdout.split('\n').filter((line) => line !== '' && !/^\S+Z \{/.test(line))).toEqual([]);
    expect((await drover(stage, 'fleet', 'logs', 'registration', '--all')).stdout).toMatch(/ START RequestId/);
    const asJson = (await drover(stage, 'fleet', 'logs', 'registration', '--format', 'json')).stdout.trim().split('\n');
    expect(asJson.map((line) => Object.keys(JSON.parse(line)))).toEqual(asJson.map(() => ['at', 'source', 'text']));
    const grep = await drover(stage, 'fleet', 'logs', 'runners_deregistration', '--grep', 'nothing like it');
    expect(grep).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await drover(stage, 'fleet', 'logs', 'nobody')).toMatchObject({
      exitCode: 1,
      stderr:
        'drover: there is no function nobody; allowed are registration, deregistration, record_metric, runner_version, or the id of an instance (i-…)\n',
    });
  });

  it('reconcile finds nothing to do on a healthy fleet', async () => {
    expect(await drover(stage, 'fleet', 'reconcile', '--dry-run')).toMatchObject({ stdout: 'nothing to do\n' });
  });

  it('why shows the life of an instance, also by the name of its runner, and each line as it was logged', async () => {
    const { stdout } = await drover(stage, 'fleet', 'why', instance);
    expect(stdout).toMatch(/autoscaling +launched: a user request created/);
    const lines = await drover(stage, 'fleet', 'why', instance, '--lines');
    expect(lines.stdout).toMatch(/Z {2}autoscaling +Launching a new EC2 instance/);
    expect(lines.stdout).toMatch(/Z {2}registration +.*"message":"registration"/);
    const byRunner = await drover(stage, 'fleet', 'why', stage.online[0]!);
    expect(sentences(byRunner.stdout)).toEqual(sentences(stdout));
    const nobody = await drover(stage, 'fleet', 'why', 'nobody');
    expect(nobody).toMatchObject({ exitCode: 1, stdout: '' });
    expect(nobody.stderr).toContain('there is no instance and no runner nobody in runners');
  });

  it('complete-termination refuses an instance in service and completes the hook of a terminating one', async () => {
    const early = await drover(stage, 'fleet', 'complete-termination', instance);
    expect(early.exitCode).toBe(1);
    expect(early.stderr).toContain('is InService; only an instance in Terminating:Wait has an open hook');
    const [job] = stage.enqueue(60);
    await stage.fleet.until('the job runs', () => job!.state === 'running', 10 * 60_000);
    await stage.terminate(job!.runnerName!, false);
    await stage.pass(2);
    const unasked = await drover(stage, 'fleet', 'complete-termination', job!.runnerName!);
    expect(unasked.stderr).toMatch(/a job that still runs there is lost; say --yes: there is no terminal to ask on/);
    const done = await drover(stage, 'fleet', 'complete-termination', job!.runnerName!, '--yes');
    expect(done).toMatchObject({ exitCode: 0 });
    expect(await stage.untilGone(job!.runnerName!, 10)).toBeLessThan(5);
  });
});

describe('drover fleet, of a fleet in jobs mode', () => {
  let stage: FleetStage;
  let running: Job;
  let mendRegistration: () => void;

  beforeAll(async () => {
    stage = await FleetStage.open({ scalingMode: 'jobs', asgMinSize: 0, asgMaxSize: 2, idleRunnersTargetCount: 0 });
    await stage.pass(2);
    [running] = stage.enqueue(30) as [Job];
    await stage.fleet.until('the job runs', () => running.state === 'running', 15 * 60_000);
    await stage.pass(3);
    // The next instance stays in its launch.
    const operation = /POST .*generatejitconfig/;
    mendRegistration = stage.fault({ service: 'platform', operation, effect: { kind: 'error', status: 503 } });
    stage.enqueue(5, 2);
    await stage.pass(1);
  });

  it('status and jobs show assigned, running and waiting jobs with their waits, by the memory and without a list of runners', async () => {
    const { entries } = stage.fleet.world.engine.journal;
    const before = entries.length;

    const { stdout } = await drover(stage, 'fleet', 'status');
    expect(stdout).toMatch(
      /scaling mode +jobs\nscale set +runners\njobs +2 assigned: 1 running, 1 waiting; 1 more not assigned\n/,
    );
    expect(stdout).toMatch(/runners +0 idle, 1 busy\ndemand signal +\d+ s old\n/);
    const status = await drover(stage, 'fleet', 'status', '--format', 'json');
    expect(JSON.parse(status.stdout)).toMatchObject({
      scalingMode: 'jobs',
      demand: {
        scaleSet: 'runners',
        assigned: 2,
        running: 1,
        waiting: 1,
        notAssigned: 1,
        notTaken: 0,
        idle: 0,
        busy: 1,
      },
    });

    const table = await drover(stage, 'fleet', 'jobs');
    expect(table.stdout).toMatch(/runner +waited +run time +result\n/);
    expect(table.stdout).toMatch(/0 ended, 1 running, 1 waiting;/);
    const listed = JSON.parse((await drover(stage, 'fleet', 'jobs', '--json')).stdout) as unknown[];
    const waited = Math.round((running.startedAt! - running.queuedAt) / 1000);
    expect(listed).toMatchObject([
      { runner: null, startedAt: null, result: 'waiting', waitSeconds: expect.any(Number) },
      { runner: running.runnerName, result: 'running', waitSeconds: expect.closeTo(waited, -1) },
    ]);
    const newest = await drover(stage, 'fleet', 'jobs', '--limit', '1');
    expect(newest.stdout).not.toContain(running.runnerName);
    expect(newest.stdout).toContain('the newest 1 of 2 (--limit shows more): 0 ended, 1 running, 1 waiting;');
    expect(JSON.parse((await drover(stage, 'fleet', 'jobs', '--json', '--limit', '1')).stdout)).toHaveLength(1);
    expect((await drover(stage, 'fleet', 'logs', 'demand')).stdout).toContain('scale set created');
    expect(entries.slice(before).filter(({ name }) => /GET .*actions\/runners/.test(name))).toEqual([]);
  });

  it('runners in jobs mode shows what each host does, for how long, and its job', async () => {
    const { stdout } = await drover(stage, 'fleet', 'runners');
    expect(stdout).toMatch(/^name +state +for +repository +job +lifecycle state\n/);
    expect(stdout).toMatch(new RegExp(`${running.runnerName} +busy +\\d+ (s|min) +\\S+ +\\S.* InService\n`));
    expect(stdout).toMatch(/i-\w+ +booting +\d+ (s|min) +- +- +Pending:Wait\n/);
  });

  it('destroy in jobs mode lets jobs end, and leaves no scale set, session, runner, instance or stack', async () => {
    mendRegistration();
    await stage.pass(12);
    const planned = await drover(stage, 'fleet', 'destroy');
    expect(planned.stdout).toMatch(
      /capacity of runners to 0.*with a job now.*its scale set is deleted at the platform/s,
    );

    const { exitCode, stdout, stderr } = await drover(stage, 'fleet', 'destroy', '--yes');

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /the scale set, its session and its runners are gone from the platform\n.*is deleted\nWhat/s,
    );
    expect(running.state).toBe('completed');
    const { codeHost, world } = stage.fleet;
    expect([codeHost.scaleSets.all, codeHost.registry.runners]).toEqual([[], []]);
    expect(codeHost.registry.queue.counts.lost).toBe(0);
    expect(world.observe.instances().filter(({ state }) => state !== 'terminated')).toEqual([]);
    expect(world.observe.group('runners')).toBeUndefined();
  });
});

it('drover fleet destroy just after a change from jobs to idle mode waits until the scale set is deleted', async () => {
  const stage = await FleetStage.open({ scalingMode: 'jobs' });
  await stage.untilOnline(1);
  await stage.update({});
  expect((await drover(stage, 'fleet', 'destroy')).stdout).toMatch(/its scale set is deleted at the platform/);

  const { exitCode, stdout, stderr } = await drover(stage, 'fleet', 'destroy', '--yes');

  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/the scale set, its session and its runners are gone from the platform\n.*is deleted\nWhat/s);
  const { scaleSets, registry } = stage.fleet.codeHost;
  expect([scaleSets.all, registry.runners]).toEqual([[], []]);
});

/** Another session of this owner holds the scale set, and GitHub does not let it go. */
function holdScaleSet({ fleet }: FleetStage, ownerOf: (own: string) => string): void {
  const { scaleSets } = fleet.codeHost;
  const set = scaleSets.named('runners')!;
  const owner = ownerOf(set.session!.owner);
  scaleSets.evict(set);
  scaleSets.openSession(set, owner)!.seenAt = Number.POSITIVE_INFINITY;
}

describe('drover fleet reset-scale-set', () => {
  let stage: FleetStage;

  beforeAll(async () => {
    stage = await FleetStage.open({ scalingMode: 'jobs', asgMinSize: 0, idleRunnersTargetCount: 0 });
    await stage.pass(3);
  });

  it('reset-scale-set has nothing to do while the fleet reads its jobs', async () => {
    const result = await drover(stage, 'fleet', 'reset-scale-set', '--yes');
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/itself reads the jobs.*nothing/) });
  });

  it('reset-scale-set refuses while another owner holds the scale set, and names it', async () => {
    holdScaleSet(stage, () => 'arc-listener');
    await stage.pass(7);
    const { id } = stage.fleet.codeHost.scaleSets.named('runners')!;
    const { exitCode, stderr } = await drover(stage, 'fleet', 'reset-scale-set', '--yes');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/arc-listener holds a session with the scale set runners.*end the listener arc-listener/s);
    await stage.pass(7);
    expect(stage.fleet.codeHost.scaleSets.named('runners')!.id).toBe(id);
    stage.fleet.codeHost.scaleSets.evict(stage.fleet.codeHost.scaleSets.named('runners')!);
    await stage.pass(3);
  });

  it('reset-scale-set deletes a scale set that a lost session of the fleet holds; it is made again, and waiting jobs run', async () => {
    holdScaleSet(stage, (own) => own);
    const [job] = stage.enqueue(5) as [Job];
    await stage.pass(30);
    const { id } = stage.fleet.codeHost.scaleSets.named('runners')!;
    expect([job.state, stage.fleet.codeHost.scaleSets.all.length]).toEqual(['queued', 1]);

    const { exitCode, stdout, stderr } = await drover(stage, 'fleet', 'reset-scale-set', '--yes');

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe('the scale set runners is deleted; the next window of runners makes it again\n');
    await stage.fleet.until('the job has run', () => job.state === 'completed', 30 * 60_000);
    expect(stage.fleet.codeHost.scaleSets.named('runners')!.id).not.toBe(id);
  });
});

it('drover fleet destroy deletes the tokens of boots that the end of the warm pool cuts off', async () => {
  const stage = await FleetStage.open({ warmPoolMinSize: 2, warmPoolMaxSize: 2 });
  const tokens = () => stage.fleet.world.observe.secretNames().filter((name) => name.startsWith('actions-runner/'));
  const boots = () => [...stage.group.members.values()].filter(({ state }) => state === 'Warmed:Pending:Wait').length;
  await stage.fleet.until('two boot with their tokens', () => boots() === 2 && tokens().length >= 2, 30 * 60_000);

  const { exitCode, stderr } = await drover(stage, 'fleet', 'destroy', '--yes');

  expect([exitCode, stderr, tokens()]).toEqual([0, '', []]);
});

describe('drover', () => {
  it('output reads an output by either name and lists the names when it is unknown', async () => {
    const stage = await FleetStage.open({});
    const byName = await drover(stage, 'output', 'autoscaling_group_name');
    expect(byName).toMatchObject({ exitCode: 0, stdout: 'runners\n' });
    expect((await drover(stage, 'output', 'AutoscalingGroupName')).stdout).toBe('runners\n');
    const wrong = await drover(stage, 'output', 'nothing');
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stderr).toContain('has no output nothing; it has alarm_topic_arn, autoscaling_group_name');
    const nowhere = await drover(stage, 'fleet', 'status', '--stack', 'elsewhere');
    expect(nowhere).toMatchObject({ exitCode: 1 });
    expect(nowhere.stderr).toContain(
      'there is no stack elsewhere in this account and region; name the stack with --stack',
    );
  });
});
