import { DeleteFunctionConcurrencyCommand, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { FleetStage } from '@drover/stage/testing';
import { describe, expect, it } from 'vitest';
import { diagnose, type Finding } from '../../../packages/operator/src/doctor/findings.ts';
import { fleetChecks } from '../../../packages/operator/src/fleet/doctor/checks.ts';
import type { DoctorFacts } from '../../../packages/operator/src/fleet/doctor/facts.ts';
import { fleetTroubles } from '../../../packages/simulation/src/doctor/fleet-troubles.ts';

import { drover } from './operator.test-support.ts';

const minute = 60_000;

const launch = { service: 'autoscaling', operation: 'Launch' };

async function findings(stage: FleetStage): Promise<Finding[]> {
  const { stdout, stderr } = await drover(stage, 'fleet', 'doctor', '--format', 'json');
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { findings: Finding[] }).findings;
}

describe('drover fleet doctor', () => {
  it('drover fleet doctor finds nothing on a healthy fleet, with and without a warm pool', async () => {
    for (const warmPoolMaxSize of [0, 4]) {
      const stage = await FleetStage.open({ warmPoolMaxSize });
      await stage.untilOnline(1);
      await stage.pass(45);
      const found = await findings(stage);
      expect(found.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
      expect(found.map(({ check }) => check)).toEqual(fleetChecks('idle').map(({ check }) => check));
      const { exitCode, stdout } = await drover(stage, 'fleet', 'doctor');
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(
        /^runners, module version \S+: nothing needs attention, \d+ checks are well\nas configured, it survives the loss of any one machine, or any one of \d zones, or any run of a function\n\nok {7}registration: no /,
      );
    }
  });

  it.each(fleetTroubles)(
    'drover fleet doctor finds $check: $says',
    async ({ check, verdict, says, silent, inputs, options, cause, fix }) => {
      const stage = await FleetStage.open(inputs ?? {}, options);
      await cause(stage);
      const all = await findings(stage);
      const found = all.find((finding) => finding.check === check)!;
      expect(all.filter((one) => one.check === silent && one.verdict !== 'ok')).toEqual([]);
      expect(found).toMatchObject({ verdict });
      expect(`${found.evidence} ${found.fix}`).toMatch(says);
      expect(found.fix).toMatch(fix);
    },
  );

  it('every check of drover fleet doctor has a fault that triggers it', () => {
    expect([...new Set(fleetTroubles.map(({ check }) => check))]).toEqual(
      fleetChecks('jobs')
        .map(({ check }) => check)
        .filter((check) => check !== 's3-through-nat'),
    );
  });

  it('drover fleet doctor says which route tables lead runners to S3 through NAT, until the fleet has the endpoint', async () => {
    const stage = await FleetStage.open({});
    const wayToS3 = async () => (await findings(stage)).find(({ check }) => check === 's3-through-nat')!;
    const { verdict, evidence } = await wayToS3();
    const [, tables = ''] = /s3_route_table_ids: \[(.+?)\]/.exec(evidence) ?? [];

    expect(verdict).toBe('ok');
    expect(tables.split(', ')).toEqual([expect.stringMatching(/^rtb-/), expect.stringMatching(/^rtb-/)]);
    await stage.update({ s3RouteTableIds: tables.split(', ') });
    expect(await wayToS3()).toMatchObject({ verdict: 'ok', evidence: 'nothing between runners and S3 pays for NAT' });
  });

  it('drover fleet doctor names the zone that has lost all its instances', async () => {
    const stage = await FleetStage.open({ asgMinSize: 2, asgMaxSize: 4 });
    await stage.untilOnline(2);
    stage.fault({ ...launch, subject: 'eu-west-1a', effect: { kind: 'error' } });
    const lost = [...stage.group.members.values()].find(({ zone }) => zone === 'eu-west-1a')!;
    stage.fleet.world.machines.kill(lost.instanceId);
    await stage.pass(20);
    const { stdout } = await drover(stage, 'fleet', 'doctor');
    expect(stdout).toMatch(
      /zone-without-capacity: .*\n.*failed in eu-west-1a, .*; no instance is in service in eu-west-1a/,
    );
  });

  it('drover fleet doctor finds no problem after the fault is gone', async () => {
    const stage = await FleetStage.open({});
    await stage.untilOnline(1);
    const FunctionName = 'runners_record_metric';
    await stage.aws.lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
    await stage.pass(10);
    await stage.aws.lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
    await stage.pass(45);
    expect((await findings(stage)).filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
  });

  it('drover fleet status shows capacity, instances and alarms also while the token is bad or GitHub is away, and exits with 3', async () => {
    const stage = await FleetStage.open({});
    await stage.untilOnline(1);
    const shows =
      /capacity +\d desired.*\ninstances +1 InService.*\nrunners +unknown.*\nalarms +.*\nplatform +unknown: .*\nnot shown/s;
    stage.fault({ service: 'platform', operation: /.*/, effect: { kind: 'error', status: 503 } });
    await stage.pass(15);
    const away = await drover(stage, 'fleet', 'status');
    expect(away).toMatchObject({ exitCode: 3, stderr: '', stdout: expect.stringMatching(shows) });
    expect(away.stdout).toMatch(/alarms +.*errors-runners_record_metric, .*metric_silent-runners/);

    stage.fleet.world.engine.faults.clear();
    stage.fleet.revokePlatformToken();
    const refused = await drover(stage, 'fleet', 'status');
    expect(refused).toMatchObject({ exitCode: 3, stderr: '', stdout: expect.stringMatching(shows) });
    expect(refused.stdout).toContain('Bad credentials');
    expect(await drover(stage, 'fleet', 'doctor')).toMatchObject({ exitCode: 1 });
  });
});

const at = Date.UTC(2026, 0, 5);

describe('drover fleet doctor, on facts', () => {
  const down = { kind: 'failed', reason: 'unreachable', message: 'returned 503' } as const;
  const quiet = { name: 'runners_record_metric', failures: [], failureAlarms: [] };
  const failed = (...ages: number[]) => ({
    ...quiet,
    failures: ages.map((age) => ({ at: at - age, stream: '', text: 'it threw' })),
  });
  const token = (days: number) => ({ tokenSecret: 'arn:a', tokenExpiresAt: at + days * 24 * 60 * minute });
  const left = (hosts: NonNullable<DoctorFacts['leftJobs']>['hosts']) => ({
    scaleSet: { id: 1, name: 'runners' },
    lease: { until: at - 20 * minute },
    hosts,
  });
  const group = { failedLaunches: [] };
  const booting = (minutes: number, reportedMinutesAgo: number, phase = 'booting') => ({
    id: 'i-1',
    lifecycleState: 'Pending:Wait',
    since: at - minutes * minute,
    report: { at: at - reportedMinutesAgo * minute, workers: 0, phase },
  });
  const registrationFailed = (minutesAgo: number) => ({
    ...quiet,
    failures: [{ at: at - minutesAgo * minute, stream: '', text: 'registration failed' }],
  });
  const release = { version: '2.337.0', key: 'runner/a', checkedAt: at, ends: {} };

  it.each<[string, string, string, RegExp, object]>([
    [
      'a platform that only this machine cannot reach',
      'platform-unreachable',
      'unknown',
      /functions .* reach it.*network of this machine/s,
      { platform: down },
    ],
    [
      'a platform that cannot be reached',
      'platform-unreachable',
      'problem',
      /503.*githubstatus/s,
      { platform: down, functions: { record_metric: failed(0) } },
    ],
    [
      'a GitHub Enterprise Server that cannot be reached',
      'platform-unreachable',
      'problem',
      /see that https:\/\/ghes\.example\.com/,
      { platform: down, platformApi: 'https://ghes.example.com/api/v3', functions: { record_metric: failed(0) } },
    ],
    [
      'one failure some time ago',
      'function-failing',
      'notice',
      /failed 1 time .*6 min ago: it threw; it has not failed since/,
      { functions: { record_metric: failed(6 * minute) } },
    ],
    [
      'failures that go on',
      'function-failing',
      'problem',
      /failed 2 times .*fleet logs record_metric/s,
      { functions: { record_metric: failed(2 * minute, minute) } },
    ],
    [
      'an alarm of a function that logs nothing',
      'function-failing',
      'problem',
      /logged no failure.*metric_silent/s,
      { functions: { record_metric: { ...quiet, failureAlarms: ['metric_silent-runners'] } } },
    ],
    [
      'the newest runner software ends',
      'runner-version',
      'problem',
      /gets no jobs any more.*set runner_version and runner_checksum/s,
      { release: { ...release, ends: { '2.337.0': at - minute } } },
    ],
    [
      'older runner software in use ends',
      'runner-version',
      'problem',
      /2\.336\.0 gets no jobs in.*wait: .*replaced by 2\.337\.0/s,
      { release: { ...release, ends: { '2.336.0': at + minute } }, runnerVersions: ['2.336.0'] },
    ],
    [
      'a scale set of jobs mode whose last job runs',
      'scale-set-left',
      'notice',
      /of an earlier jobs mode .*with 1 runners wait/,
      { leftJobs: left({ 'i-1': { is: 'busy', since: 0 } }) },
    ],
    [
      'a scale set of jobs mode that is not closed',
      'scale-set-left',
      'problem',
      /for 20 min, with 0 runners.*under Actions, Runners/,
      { leftJobs: left({}) },
    ],
    [
      'boots that failed three hours ago, and none since',
      'configuration-failing',
      'notice',
      /1 boots failed within a day, the last 3 h .*nothing now/,
      { bootFailures: [{ instanceId: 'i-1', at: at - 180 * minute, reason: 'no package' }], launching: [], group },
    ],
    [
      'a boot that failed an hour ago after an hour of silence',
      'configuration-failing',
      'problem',
      /1 boots failed within a day: no package/,
      {
        bootFailures: [{ instanceId: 'i-1', at: at - 60 * minute, reason: 'no package', silentMs: 60 * minute }],
        launching: [],
        group,
      },
    ],
    [
      'a registration that failed a while ago, and no instance waits for one',
      'runner-not-registering',
      'notice',
      /registration failed, 20 min ago; no instance is waiting.*tried again/,
      { functions: { registration: registrationFailed(20) }, launching: [] },
    ],
    [
      'a boot of twenty minutes that reports as it goes on',
      'runner-not-registering',
      'ok',
      /no instance is waiting for its registration/,
      { functions: { registration: { failures: [] } }, launching: [booting(20, 4)] },
    ],
    [
      'a boot of twenty minutes that has not reported for eleven',
      'runner-not-registering',
      'problem',
      /i-1 is Pending for 20 min/,
      { functions: { registration: { failures: [] } }, launching: [booting(20, 11)] },
    ],
    [
      'a host of twenty minutes that has booted and has no registration',
      'runner-not-registering',
      'problem',
      /i-1 is Pending for 20 min/,
      { functions: { registration: { failures: [] } }, launching: [booting(20, 1, 'registering')] },
    ],
    [
      'a registration that failed just now',
      'runner-not-registering',
      'problem',
      /registration failed.*fleet logs registration/,
      { functions: { registration: registrationFailed(1) }, launching: [] },
    ],
    ['a token that lasts for longer', 'token-expires', 'ok', /expires in 15 days/, token(15)],
    ['a token that expires within two weeks', 'token-expires', 'problem', /expires in 13 days/, token(13.5)],
  ])('drover fleet doctor says what to do: %s', (_, check, verdict, says, change) => {
    const usual = {
      ...{
        now: at,
        groupName: 'runners',
        fleetName: 'runners',
        stack: 'fleet',
        platform: { kind: 'ok' },
        platformApi: 'https://api.github.com',
      },
      ...{ functions: { record_metric: quiet }, release, runnerVersions: [], alarms: [] },
    };
    const wanted = fleetChecks('idle').filter((one) => one.check === check);
    const [found] = diagnose(wanted, { ...usual, ...change } as unknown as DoctorFacts);
    expect(found).toMatchObject({ check, verdict });
    expect(`${found!.evidence} ${found!.fix}`).toMatch(says);
  });
});

const jobsModeOnly = ['demand-signal-old', 'scale-set-missing', 'jobs-not-taken', 'rerun-refused'];
const refusedRerun = { at, repository: 'o/r', name: 'build', runId: 7, askedAt: at, refused: 'returned 403: no' };
const held = (heldBy?: string): DoctorFacts['jobs'] => ({
  ...healthy,
  conflicts: 5,
  ...(heldBy === undefined ? {} : { heldBy }),
});
const healthy: DoctorFacts['jobs'] = { scaleSet: { id: 1, name: 'runners' }, statisticsAt: at - minute };

describe('drover fleet doctor, of a fleet in jobs mode', () => {
  it.each<[check: string, verdict: string, says: RegExp, jobs: DoctorFacts['jobs'], logged?: string]>([
    ['demand-signal-old', 'problem', /5 min old; .*logged no failure/, { ...healthy, statisticsAt: at - 5 * minute }],
    ['demand-signal-old', 'problem', /another session has held .* 5 windows.*does not say whose/, held()],
    [
      'demand-signal-old',
      'problem',
      /a session of arc-1-listener has held.*end the listener arc-1/,
      held('arc-1-listener'),
    ],
    ['demand-signal-old', 'problem', /of this fleet \(us\).*drover fleet reset-scale-set --stack fleet/, held('us')],
    ['scale-set-missing', 'problem', /no window has found.*fleet logs demand/, { statisticsAt: at }],
    ['scale-set-missing', 'notice', /made again.*who deletes it/, healthy, 'the scale set was gone from the service'],
    ['jobs-not-taken', 'problem', /2 jobs wait.*runner group/, { ...healthy, notTaken: 2 }],
    [
      'rerun-refused',
      'problem',
      /1 interrupted jobs.*build of o\/r \(run 7\).*returned 403: no.*Actions: write/,
      { ...healthy, interrupted: { 'i-1': refusedRerun, 'i-2': { ...refusedRerun, settled: 'ended' } } },
    ],
  ])('drover fleet doctor finds %s as a %s: %s', (check, verdict, says, jobs, logged) => {
    const failures = logged === undefined ? [] : [{ at, stream: '', text: logged }];
    const known = { now: at, groupName: 'runners', stack: 'fleet', sessionOwner: 'us' };
    const facts = { ...known, jobs, functions: { demand: { failures } } };
    const ofJobsMode = fleetChecks('jobs').filter((one) => jobsModeOnly.includes(one.check));
    const found = diagnose(ofJobsMode, facts as unknown as DoctorFacts).filter((one) => one.verdict !== 'ok');
    expect(found).toMatchObject([{ check, verdict }]);
    expect(`${found[0]!.evidence} ${found[0]!.fix}`).toMatch(says);
  });

  it.each([
    ['ok', 1],
    ['problem', 6],
  ])(
    'drover fleet doctor says %s of a job that was assigned %s minutes ago beside idle runners',
    (verdict, minutes) => {
      const note = { repository: 'o/r', name: 'build', assignedAt: at - minutes * minute };
      const facts = { now: at, groupName: 'runners', jobs: { ...healthy, notTaken: 1, jobs: { 'job-1': note } } };
      const wanted = fleetChecks('jobs').filter(({ check }) => check === 'jobs-not-taken');
      expect(diagnose(wanted, facts as unknown as DoctorFacts)).toMatchObject([{ verdict }]);
    },
  );

  it('drover fleet doctor finds nothing on a fleet in jobs mode half an hour after its deployment, and its old signal when the Actions service fails', async () => {
    const stage = await FleetStage.open({ scalingMode: 'jobs' });
    await stage.untilOnline(1);
    // The log of a boot that was quicker than the first window of the demand is looked at for half an hour.
    await stage.pass(35);
    const found = await findings(stage);
    expect(found.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
    expect(found.map(({ check }) => check)).toEqual(fleetChecks('jobs').map(({ check }) => check));

    stage.fault({ service: 'platform', operation: /.*scalesets.*/i, effect: { kind: 'error', status: 503 } });
    await stage.pass(10);
    const problems = (await findings(stage)).filter(({ verdict }) => verdict !== 'ok');
    expect(problems).toMatchObject([
      { check: 'demand-signal-old', verdict: 'problem' },
      { check: 'function-failing', verdict: 'problem', evidence: expect.stringMatching(/runners_demand .*503/) },
    ]);
    expect(problems[0]!.evidence).toMatch(/min old; the demand function logged .*503/);
  });
});
