import type { Job } from '@drover/cloud-github';
import { FleetStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { drover } from './operator.test-support.ts';

const minute = 60_000;

describe('the commands of a fleet with types', () => {
  let stage: FleetStage;
  let ofArm: Job;
  const sets = () => stage.fleet.codeHost.scaleSets;
  const running = (label: string, minutes: number) =>
    stage.fleet.codeHost.registry.queue.enqueue({ durationMs: minutes * minute, runsOn: [label] });

  beforeAll(async () => {
    stage = await FleetStage.open({
      scalingMode: 'jobs',
      asgMinSize: 0,
      idleRunnersTargetCount: 0,
      types: { large: { asgMaxSize: 2 }, arm: { architecture: 'arm64' } },
    });
    await stage.pass(2);
  }, 600_000);

  it('drover fleet status has a line for each type, and names the one at its maximum', async () => {
    const jobs = [running('runners-large', 35), running('runners-large', 35)];
    await stage.fleet.until('the jobs run', () => jobs.every(({ state }) => state === 'running'), 20 * minute);
    await stage.pass(2);
    const { stdout, exitCode } = await drover(stage, 'fleet', 'status');

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /type large +2 desired, between 0 and 2; 2 instances; 2 jobs running, 0 waiting; at its maximum/,
    );
    expect(stdout).toMatch(/type arm +0 desired, between 0 and 4; 0 instances; 0 jobs running, 0 waiting\n/);
  });

  it('--type chooses the type that a command is about, and an unknown one is refused with those that there are', async () => {
    const { stdout } = await drover(stage, 'fleet', 'runners', '--type', 'large', '--format', 'json');
    const unknown = await drover(stage, 'fleet', 'runners', '--type', 'small');

    expect(JSON.parse(stdout)).toMatchObject([{ state: 'busy' }, { state: 'busy' }]);
    expect(unknown.exitCode).not.toBe(0);
    expect(unknown.stderr).toMatch(/runners has no type small[\s\S]*default, arm, large/);
  });

  it('drover fleet doctor names the type whose scale set another session holds, and its owner; --type asks for one type', async () => {
    const arm = sets().named('runners-arm')!;
    sets().evict(arm);
    sets().openSession(arm, 'somebody');
    await stage.pass(9);
    const { stdout } = await drover(stage, 'fleet', 'doctor', '--type', 'arm');
    const ofAll = await drover(stage, 'fleet', 'doctor');
    const ofDefault = await drover(stage, 'fleet', 'doctor', '--type', 'default');

    expect(stdout).toMatch(/a session of somebody has held the scale set runners-arm/);
    expect(ofAll.stdout).toMatch(/type arm: a session of somebody has held the scale set runners-arm/);
    expect(ofAll.stdout).toMatch(/on, and explained by the other findings: demand_signal_old-runners/);
    expect(ofDefault.stdout).not.toMatch(/somebody/);
    sets().evict(arm);
  });

  it('drover fleet jobs has the type of each job, and --type shows only those of one', async () => {
    const [ofDefault] = stage.enqueue(1);
    ofArm = running('runners-arm', 4);
    await stage.fleet.until('the job of arm runs', () => ofArm.state === 'running', 20 * minute);
    await stage.pass(2);
    const status = (await drover(stage, 'fleet', 'status')).stdout;
    expect(status).toMatch(/type arm +1 desired, between 0 and 4; 1 instance; 1 job running, 0 waiting\n/);
    const areOver = () => ofDefault?.state === 'completed' && ofArm.state === 'completed';
    await stage.fleet.until('both end', areOver, 20 * minute);
    await stage.fleet.until('the host is gone', () => stage.groupOf('arm')!.members.size === 0, 20 * minute);
    await stage.pass(2);
    const { stdout } = await drover(stage, 'fleet', 'jobs');
    const listed = async (...argv: string[]) =>
      JSON.parse((await drover(stage, 'fleet', 'jobs', '--json', ...argv)).stdout) as {
        type: string;
        result: string;
      }[];

    expect(stdout).toMatch(/ run +type +runner +waited /);
    expect(stdout).toMatch(/ large +i-[0-9a-f]+ .* running\n/);
    expect((await listed()).map(({ type, result }) => `${type} ${result}`).sort()).toEqual([
      'arm Succeeded',
      'default Succeeded',
      'large running',
      'large running',
    ]);
    expect((await listed('--type', 'large')).map(({ type }) => type)).toEqual(['large', 'large']);
    const none = await drover(stage, 'fleet', 'jobs', '--type', 'arm', '--repo', 'a/b');
    expect(none.stdout).toMatch(/^no job of type arm of a\/b since/);
  });

  it('drover fleet why finds the type of an instance by itself, also when the instance is gone', async () => {
    const present = [...stage.groupOf('large')!.members.keys()][0]!;

    expect((await drover(stage, 'fleet', 'why', present)).stdout).toMatch(/^i-\w+ of runners-large: InService/);
    const { stdout } = await drover(stage, 'fleet', 'why', ofArm.runnerName!);
    expect(stdout).toMatch(/^i-\w+ of runners-arm: gone after .*It ran 1 job; none was lost\./);
    expect(stdout).toMatch(/autoscaling +terminated/);
  });

  it('drover fleet cost shows the cost of each type, and of all; --type asks for one', async () => {
    const { stdout, exitCode, stderr } = await drover(stage, 'fleet', 'cost', '--instance-type', 't3a.medium');
    const costs = async (...argv: string[]) =>
      JSON.parse((await drover(stage, 'fleet', 'cost', '--json', ...argv)).stdout);
    const whole = await costs('--instance-type', 't3a.medium');

    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /\ntype +instances +instance types +hours +jobs +run time +cost +a job\ndefault +1 +t3a\.medium /,
    );
    expect(stdout).toMatch(/\narm +1 +t4g\.medium +\d\.\d h +1 /);
    expect(stdout).toMatch(/\nexample-org\/example +4 +\d\.\d h +\d+\.\d\d USD\n\(no job\) /);
    expect(whole.types).toMatchObject([
      { type: 'default', instances: 1, jobs: { ended: 1 } },
      { type: 'arm', instances: 1, instanceTypes: ['t4g.medium'], jobs: { ended: 1 } },
      { type: 'large', instances: 2, jobs: { ended: 0 } },
    ]);
    const totals = (whole.types as { cost: { total: number } }[]).map(({ cost }) => cost.total);
    expect(whole.cost.total).toBeCloseTo(
      totals.reduce((sum, each) => sum + each, 0),
      6,
    );
    expect(whole.repositories[0].cost + whole.withoutJob).toBeCloseTo(whole.cost.total, 6);
    expect((await costs('--type', 'arm')).cost.total).toBeCloseTo(totals[1]!, 6);
  });

  it('drover fleet remove-type lets the jobs of the type end, and leaves nothing of it at the platform', async () => {
    const planned = await drover(stage, 'fleet', 'remove-type', 'large');
    expect(planned.stdout).toMatch(/set the capacity of runners-large to 0/);
    expect(sets().named('runners-large')).toBeDefined();
    const { exitCode, stdout } = await drover(stage, 'fleet', 'remove-type', 'large', '--yes');

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/Then remove the key large below types/);
    expect(sets().named('runners-large')).toBeUndefined();
    expect(stage.groupOf('large')?.members.size).toBe(0);
    expect(stage.fleet.codeHost.registry.queue.counts).toMatchObject({ completed: 4, lost: 0 });
  });

  it('drover fleet destroy takes down the groups of all types, and leaves no scale set', async () => {
    const { exitCode } = await drover(stage, 'fleet', 'destroy', '--yes');

    expect(exitCode).toBe(0);
    expect(['runners', 'runners-arm'].map((name) => sets().named(name))).toEqual([undefined, undefined]);
    expect(stage.groupOf('arm')).toBeUndefined();
  });
});
