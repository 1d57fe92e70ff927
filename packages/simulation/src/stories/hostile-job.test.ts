import { ListMetricsCommand } from '@aws-sdk/client-cloudwatch';
import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { Program } from '@drover/cloud-machines';
import { groupDimension, instanceLogGroup, metrics } from '@drover/core/names/runner-fleet';
import { describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
const repository = 'example-org/own';
const victim = 'example-org/victim';

/** An event in embedded metric format: metrics of another product, and the demand by which the fleet grows. */
function embedded(namespace: string, name: string, more: object = {}): string {
  const directive = { Namespace: namespace, Dimensions: [Object.keys(more)], Metrics: [{ Name: name }] };
  return JSON.stringify({ _aws: { CloudWatchMetrics: [directive] }, ...more, [name]: 100 });
}

/** An attack by a process of a job on the journal of its service: it can write any line, under any name. */
const attack: Program = async ({ log, clock }) => {
  const demand = embedded('Drover/ActionsRunner', metrics.wanted, { [groupDimension]: 'runners' });
  const payments = embedded('Production/Payments', 'Errors');
  const hook = JSON.stringify({ hook: 'job-started', repository: victim, job: 'x' });
  for (let seconds = 0; seconds < 120; seconds += 5) {
    for (const tag of [undefined, 'runner-hook', 'runner-agent', 'actions-runner']) {
      log(demand, tag);
      log(payments.replace('_aws', '\\u005faws'), tag);
      log(`2026-11-15T08:00:00Z INFO ${payments}`, tag);
      log('Job job-1 completed with result: Failed', tag);
      log('Running job: forged', tag);
      log(hook, tag);
      log('registration has been deleted from the server', tag);
    }
    await clock.sleep(5_000);
  }
  return 0;
};

describe('a job that means harm', { timeout: 300_000 }, () => {
  it('a job that writes to the journal makes no metrics, no line of the agent and no event but its own', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 1, asgMaxSize: 3 });
    await stage.untilOnline(1);
    const [id = ''] = stage.online;
    const { world, codeHost, groupName } = stage.fleet;
    const logGroupName = instanceLogGroup(groupName);
    world.machines.get(id)!.defineCommand('attack', attack);
    const job = codeHost.registry.queue.enqueue({ durationMs: minute, script: 'attack', repository });
    await stage.fleet.until('the job is done', () => job.state === 'completed', 15 * minute);
    await stage.pass(3);

    const list = stage.aws.cloudwatch.send(new ListMetricsCommand({ Namespace: 'Production/Payments' }));
    expect((await stage.fleet.drive(list, minute)).Metrics).toEqual([]);
    const inStream = async (name: string): Promise<string[]> => {
      const found: string[] = [];
      let nextToken: string | undefined;
      do {
        const asked = new FilterLogEventsCommand({ logGroupName, logStreamNames: [`${id}/${name}`], nextToken });
        const page = await stage.fleet.drive(stage.aws.logs.send(asked), minute);
        found.push(...(page.events ?? []).map(({ message = '' }) => message));
        nextToken = page.nextToken;
      } while (nextToken !== undefined);
      return found;
    };
    expect((await inStream('agent')).filter((line) => /forged|victim|Payments/.test(line))).toEqual([]);
    expect((await inStream('runner')).length + (await inStream('hook')).length).toBeGreaterThan(100);
    const events = (await inStream('jobs')).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.map(({ event, repository, result }) => [event, repository, result])).toEqual([
      ['job-started', repository, undefined],
      ['job-completed', repository, 'Succeeded'],
    ]);
    expect(stage.online).toContain(id);
    expect(await stage.violationsAtRest()).toEqual([]);
  });

  it.each([
    [true, []],
    [false, ['miner', '.gitconfig', '.env']],
  ])(
    'a job of idle mode meets what an earlier one has left: with clean_between_jobs %s it meets %j',
    async (cleanBetweenJobs, met) => {
      const stage = await CheckedFleetStage.open({ asgMinSize: 1, asgMaxSize: 1, cleanBetweenJobs });
      await stage.untilOnline(1);
      const [id = ''] = stage.online;
      const machine = stage.fleet.world.machines.get(id)!;
      const { queue } = stage.fleet.codeHost.registry;
      const planted = { '.gitconfig': '/home/actions-runner/.gitconfig', '.env': '/opt/actions-runner/.env' };
      const baseline = machine.files.get(planted['.env']);
      machine.defineCommand('plant', async (context) => {
        for (const path of Object.values(planted)) machine.files.set(path, 'core.hooksPath=/tmp/mine');
        context.spawn('miner', () => new Promise<number>(() => {}), { argv: ['/tmp/miner'] });
        return 0;
      });
      const found: string[] = [];
      machine.defineCommand('look', async () => {
        for (const { name } of machine.processes()) if (name === 'miner') found.push(name);
        for (const [name, path] of Object.entries(planted))
          if (machine.files.get(path)?.includes('hooksPath')) found.push(name);
        return 0;
      });
      const root = machine.spawn('root-service', () => new Promise<number>(() => {}), { user: 'root' });
      const jobs = ['plant', 'look'].map((script) => queue.enqueue({ durationMs: 1_000, script }));
      await stage.fleet.until('both are done', () => jobs.every(({ state }) => state === 'completed'), 15 * minute);

      expect(found).toEqual(met);
      expect(root.exitCode).toBeUndefined();
      if (cleanBetweenJobs) expect(machine.files.get(planted['.env'])).toBe(baseline);
      expect(stage.online).toEqual([id]);
    },
  );
});
