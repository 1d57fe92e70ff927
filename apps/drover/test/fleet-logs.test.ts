import { DeleteStackCommand } from '@aws-sdk/client-cloudformation';
import { ListMetricsCommand } from '@aws-sdk/client-cloudwatch';
import { FleetStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { drover } from './operator.test-support.ts';

const minute = 60_000;

describe('drover fleet logs, jobs and cost', () => {
  let stage: FleetStage;
  let gone = '';

  /** A host that fails its launch, and one that runs two jobs. */
  beforeAll(async () => {
    stage = await FleetStage.open({ asgMinSize: 1, asgMaxSize: 3, allowedDrainTime: 300 });
    const { fleet } = stage;
    await stage.untilOnline(1);
    const known = new Set(stage.group.members.keys());
    await stage.setDesired(2);
    const fresh = () => [...stage.group.members.keys()].find((id) => !known.has(id)) ?? '';
    await fleet.until('a second machine boots', () => fleet.world.machines.get(fresh()) !== undefined, 10 * minute);
    gone = fresh();
    fleet.world.machines.get(gone)!.disk.freeBytes = 1000;
    await stage.untilGone(gone, 60);
    const { queue } = fleet.codeHost.registry;
    const job = queue.enqueue({ durationMs: 10 * minute, repository: 'example-org/shop' });
    const other = queue.enqueue({ durationMs: 5 * minute });
    await fleet.until('the jobs end', () => job.state === 'completed' && other.state === 'completed', 60 * minute);
    await stage.pass(6);
  });

  it('logs shows why a launch failed after its instance is gone, by source', async () => {
    const { exitCode, stdout } = await drover(stage, 'fleet', 'logs', gone, '--since', '1d');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^\S+Z agent +\{.*this host cannot have a runner: only 0 MiB are free on its disk/m);
    const boot = await drover(stage, 'fleet', 'logs', gone, '--since', '1d', '--source', 'boot');
    expect(boot).toMatchObject({ exitCode: 1, stdout: '' });
    expect(boot.stderr).toContain(`${gone} has sent no boot log since`);
    expect((await drover(stage, 'fleet', 'logs', gone, '--since', 'yesterday')).stderr).toContain('It must be 90m');
  });

  it('why shows what the instance itself logged', async () => {
    const { stdout } = await drover(stage, 'fleet', 'why', gone);
    expect(stdout).toMatch(/^WARNING {2}it never came into service: .*only 0 MiB are free on its disk/m);
    expect(stdout).toMatch(/agent +WARNING .*this host cannot have a runner/);
  });

  it('jobs shows repository, workflow, run, runner, run time and result, also of one repository and as JSON', async () => {
    const { exitCode, stdout } = await drover(stage, 'fleet', 'jobs', '--repo', 'example-org/shop');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^started +repository +workflow +job +run +runner +run time +result\n/);
    expect(stdout).toMatch(/example-org\/shop +ci +job-\d+ +\d+ +i-[0-9a-f]+ +10 min +Succeeded\n1 ended, 0 running/);
    const all = JSON.parse((await drover(stage, 'fleet', 'jobs', '--json')).stdout) as { seconds: number }[];
    expect(all.map(({ seconds }) => Math.round(seconds / 60)).sort((a, b) => a - b)).toEqual([5, 10]);
    expect((await drover(stage, 'fleet', 'jobs', '--repo', 'a/b')).stdout).toMatch(/^no job of a\/b since/);
  });

  it('status says what allowed_drain_time means for the longest job of two weeks', async () => {
    const { stdout } = await drover(stage, 'fleet', 'status');
    expect(stdout).toMatch(
      /drain +a job on an instance that is terminated has 5 min more .*took 10 min: one like it can be ended\n/,
    );
    const { drain } = JSON.parse((await drover(stage, 'fleet', 'status', '--format', 'json')).stdout);
    expect(drain).toMatchObject({ allowedSeconds: 300, longestJobSeconds: expect.closeTo(600, -2) });
  });

  it('cost shows hours and money of all instances, also of those that are gone, and of a job', async () => {
    const { exitCode, stdout } = await drover(stage, 'fleet', 'cost', '--since', '1d');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/instances +\d+ \(t3a\.medium\)/);
    expect(stdout).toMatch(/total +\d+\.\d\d USD/);
    const { stdout: text } = await drover(stage, 'fleet', 'cost', '--json');
    const { cost, hours, jobs } = JSON.parse(text) as Record<string, Record<string, number>>;
    expect(jobs).toMatchObject({ ended: 2, hours: expect.closeTo(0.25, 1) });
    expect(hours!.spot).toBe(0);
    expect(cost!.onDemand).toBeCloseTo(hours!.onDemand! * 0.0376, 5);
  });

  it('cost divides the cost among the repositories of the jobs, and says how it is estimated', async () => {
    const { stdout } = await drover(stage, 'fleet', 'cost', '--since', '1d');
    const { stdout: text } = await drover(stage, 'fleet', 'cost', '--since', '1d', '--json');
    const { repositories, withoutJob, cost } = JSON.parse(text);

    expect(stdout).toMatch(/\nrepository +jobs +run time +cost\nexample-org\/shop +1 +0\.2 h +\d\.\d\d USD\n/);
    expect(stdout).toMatch(/A repository has the share of its jobs in the run time on each instance/);
    expect(repositories).toMatchObject([
      { repository: 'example-org/shop', jobs: 1, hours: expect.closeTo(1 / 6, 1) },
      { repository: 'example-org/example', jobs: 1 },
    ]);
    expect(repositories[0].cost).toBeGreaterThan(repositories[1].cost);
    expect(repositories[0].cost + repositories[1].cost + withoutJob).toBeCloseTo(cost.total, 6);
  });

  it('the run time and number of jobs are metrics of the fleet, made from its log', async () => {
    const { Metrics } = await stage.fleet.drive(
      stage.aws.cloudwatch.send(new ListMetricsCommand({ MetricName: 'JobSeconds' })),
      minute,
    );
    expect(Metrics).toMatchObject([
      { Namespace: 'Drover/ActionsRunner', Dimensions: [{ Name: 'AutoScalingGroupName', Value: 'runners' }] },
    ]);
  });

  it('destroy prints its plan and changes nothing without --yes, and leaves no runner, instance or stack with it', async () => {
    const planned = await drover(stage, 'fleet', 'destroy');
    expect(planned).toMatchObject({ exitCode: 0 });
    expect(planned.stdout).toMatch(
      /set the capacity of runners to 0.*delete the stack runner-fleet.*Nothing was changed\. To do it: drover fleet destroy --stack runner-fleet --yes\n$/s,
    );
    const [job] = stage.enqueue(8);
    await stage.fleet.until('the job runs', () => job?.state === 'running', 20 * minute);

    const { exitCode, stdout, stderr } = await drover(stage, 'fleet', 'destroy', '--yes');

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/\d instances are left, 1 with a job/);
    expect(stdout).toMatch(/the stack runner-fleet is deleted\nWhat remains: the bucket/);
    expect(job?.state).toBe('completed');
    expect(stage.fleet.codeHost.registry.runners).toEqual([]);
    expect(stage.fleet.world.observe.instances().filter(({ state }) => state !== 'terminated')).toEqual([]);
    expect(stage.fleet.world.observe.group('runners')).toBeUndefined();
  });
});

it('destroy goes on with a stack whose deletion has begun, although the functions of its fleet may be gone', async () => {
  const begun = await FleetStage.open({});
  // Its instance has not drained, so the deletion waits for the hook of an instance whose functions are gone.
  await begun.fleet.drive(begun.aws.cloudformation.send(new DeleteStackCommand({ StackName: 'runner-fleet' })), minute);
  await begun.pass(20);

  expect(await drover(begun, 'fleet', 'destroy')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^The stack runner-fleet is DELETE_IN_PROGRESS.*delete what is left of it\nNothing/s),
  });
});
