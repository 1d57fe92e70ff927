import { DescribeAutoScalingGroupsCommand, DescribeLifecycleHooksCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { fleetStackName } from '@drover/stage/fleet-template';
import { beforeAll, describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;

// Written out here, and not taken from core/names: these are the specification's words, which operators type.
describe('a deployed fleet', { timeout: 300_000 }, () => {
  let stage: CheckedFleetStage;
  const authorizations: string[] = [];
  const secrets = new Map<string, string>();
  const order = <T>(work: Promise<T>) => stage.fleet.drive(work, minute);

  beforeAll(async () => {
    stage = await CheckedFleetStage.open(
      { functionLogPrefix: '/ci/functions', vendor: 'Acme' },
      {
        before: ({ world, codeHost }) => {
          world.network.register('api.github.com', (request, origin) => {
            if (origin.kind === 'function') authorizations.push(request.headers.authorization ?? '');
            return codeHost.answer(request, origin);
          });
          world.engine.journal.subscribe(({ name, subject = '', detail }) => {
            if (/^(Create|Delete)Secret$/.test(name) && subject !== '' && !subject.includes('platform-token'))
              secrets.set(name, `${subject} by ${String(detail?.by).split('/').at(-1)}`);
          });
        },
      },
    );
    await stage.untilOnline(1);
    await stage.pass(5);
  }, 300_000);

  it('names its group in the output autoscaling_group_name, and its functions after the group', async () => {
    const { Stacks } = await order(
      stage.aws.cloudformation.send(new DescribeStacksCommand({ StackName: fleetStackName })),
    );
    const output = Stacks![0]!.Outputs!.find(({ OutputKey }) =>
      OutputKey!.endsWith('AutoscalingGroupName'),
    )!.OutputValue;
    const { AutoScalingGroups } = await order(stage.aws.autoscaling.send(new DescribeAutoScalingGroupsCommand({})));
    const { Functions } = await order(stage.aws.lambda.send(new ListFunctionsCommand({})));

    expect(AutoScalingGroups!.map(({ AutoScalingGroupName }) => AutoScalingGroupName)).toEqual([output]);
    const names = Functions!.map(({ FunctionName }) => FunctionName);
    expect(names).toEqual(
      expect.arrayContaining([`${output}_registration`, `${output}_deregistration`, `${output}_record_metric`]),
    );
  });

  it('a deployed fleet has a log group for each function below function_log_prefix, and the functions write there', async () => {
    const { logGroups } = await order(
      stage.aws.logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: '/ci/functions/' })),
    );

    expect(logGroups!.map(({ logGroupName }) => logGroupName).sort()).toEqual([
      '/ci/functions/runners_deregistration',
      '/ci/functions/runners_record_metric',
      '/ci/functions/runners_registration',
      '/ci/functions/runners_runner_version',
    ]);
    for (const { storedBytes } of logGroups!) expect(storedBytes).toBeGreaterThan(0);
  });

  it('publishes IdleRunnersCount in the namespace <vendor>/ActionsRunner, read as Average', async () => {
    const now = stage.fleet.clock.now();
    const { Datapoints } = await order(
      stage.aws.cloudwatch.send(
        new GetMetricStatisticsCommand({
          Namespace: 'Acme/ActionsRunner',
          MetricName: 'IdleRunnersCount',
          Dimensions: [{ Name: 'AutoScalingGroupName', Value: 'runners' }],
          StartTime: new Date(now - 3 * minute),
          EndTime: new Date(now),
          Period: 60,
          Statistics: ['Average'],
        }),
      ),
    );

    expect(new Set(Datapoints!.map(({ Average }) => Average))).toEqual(new Set([1]));
    expect(await stage.alarms('idle_runners_low-')).toMatchObject([{ Namespace: 'Acme/ActionsRunner' }]);
  });

  it('keeps the token of a registration in a secret whose name contains actions-runner; its user deletes it', () => {
    const [instanceId] = stage.online;

    expect(secrets.get('CreateSecret')).toMatch(new RegExp(`actions-runner.*${instanceId}.* by runners_registration$`));
    expect(secrets.get('DeleteSecret')).toMatch(new RegExp(`actions-runner.*${instanceId}.* by ${instanceId}$`));
  });

  it('holds terminations by a hook named deregistration', async () => {
    const command = new DescribeLifecycleHooksCommand({ AutoScalingGroupName: 'runners' });
    const { LifecycleHooks } = await order(stage.aws.autoscaling.send(command));

    const terminating = LifecycleHooks!.filter(({ LifecycleTransition }) =>
      LifecycleTransition!.endsWith('TERMINATING'),
    );
    expect(terminating.map(({ LifecycleHookName }) => LifecycleHookName)).toEqual(['deregistration']);
  });

  it('runs a service named actions-runner on each instance', () => {
    for (const id of stage.online) {
      const machine = stage.fleet.world.machines.get(id)!;
      expect(machine.serviceState('actions-runner')).toBe('active');
      expect(machine.processes().map(({ unit, user }) => [unit, user])).toContainEqual([
        'actions-runner',
        'actions-runner',
      ]);
    }
  });

  it('sends the platform token as Authorization: token <TOKEN>', () => {
    expect(new Set(authorizations)).toEqual(new Set([`token ${stage.fleet.platformToken}`]));
  });

  it('keeps every promise', async () => {
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});
