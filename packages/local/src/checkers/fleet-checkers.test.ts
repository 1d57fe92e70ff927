import { CompleteLifecycleActionCommand, SuspendProcessesCommand } from '@aws-sdk/client-auto-scaling';
import { GetFunctionConfigurationCommand, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { workerName } from '@drover/cloud-github';
import { tokenSecretName } from '@drover/core/names/runner-fleet';
import { describe, expect, it } from 'vitest';
import { CheckedFleetStage } from '../../../simulation/src/stories/checked-fleet-stage.ts';
import { FleetCheckers } from './fleet-checkers.ts';

const minute = 60_000;

/** Opens a fleet of one runner, to which something is about to be done that must not happen. */
async function fleetOfOne(inputs: Parameters<typeof CheckedFleetStage.open>[0] = {}): Promise<CheckedFleetStage> {
  const stage = await CheckedFleetStage.open(inputs);
  await stage.untilOnline(1);
  return stage;
}

async function running(stage: CheckedFleetStage, minutes: number) {
  const [job] = stage.enqueue(minutes);
  await stage.fleet.until('the job runs', () => job!.state === 'running', 5 * minute);
  const instanceId = job!.runnerName!;
  return { job: job!, instanceId, machine: stage.fleet.world.machines.get(instanceId)! };
}

const found = async (stage: CheckedFleetStage, { checkers } = stage) => {
  await stage.fleet.drive(checkers.checkAlways(), 60 * minute);
  return checkers.violations.join('\n');
};

describe('the checkers find', { timeout: 300_000 }, () => {
  it('a job whose Worker was killed on an instance in service', async () => {
    const stage = await fleetOfOne();
    const { machine } = await running(stage, 60);

    machine
      .processes()
      .find(({ name }) => name === workerName)!
      .signal('SIGKILL');
    await stage.pass(15);

    expect(await found(stage)).toMatch(/^job 1 was lost by us on i-/m);
    expect(stage.checkers.blames).toEqual({ ours: 1 });
  });

  it('a job that was killed before allowed_drain_time was over', async () => {
    const stage = await fleetOfOne();
    const { instanceId } = await running(stage, 60);
    await stage.terminate(instanceId, false);
    await stage.pass(5);

    const early = {
      AutoScalingGroupName: 'runners',
      LifecycleHookName: 'deregistration',
      InstanceId: instanceId,
      LifecycleActionResult: 'CONTINUE',
    };
    await stage.fleet.drive(stage.aws.autoscaling.send(new CompleteLifecycleActionCommand(early)), minute);
    await stage.pass(15);

    expect(await found(stage)).toMatch(/^job 1 was lost by us/m);
  });

  it('a runner without instance, but only after two sweeps that came through', async () => {
    const stage = await fleetOfOne();
    const { registry } = stage.fleet.codeHost;
    const { token } = registry.mintToken('registration', 'user ID 1');
    // Without the labels of the fleet no sweep touches it.
    registry.register({ token, name: 'i-00000000000000001', labels: [] });

    await stage.pass(5);
    const before = await found(stage);
    await stage.pass(45);

    expect(before).toBe('');
    expect(await found(stage)).toContain('runner i-00000000000000001 is left although its instance is gone');
  });

  it('an instance in service without a runner, but only after two sweeps that came through', async () => {
    // No other instance is launched, and so none is scaled in.
    const stage = await fleetOfOne({ asgMinSize: 1, asgMaxSize: 1 });
    const [instanceId] = stage.online;
    const { registry } = stage.fleet.codeHost;
    // The sweeps mark it unhealthy, but it is not replaced.
    const suspend = { AutoScalingGroupName: 'runners', ScalingProcesses: ['ReplaceUnhealthy'] };
    await stage.fleet.drive(stage.aws.autoscaling.send(new SuspendProcessesCommand(suspend)), minute);
    registry.remove(registry.runners.find(({ name }) => name === instanceId)!.id);

    const before = await found(stage);
    await stage.pass(45);

    expect(before).toBe('');
    expect(await found(stage)).toContain(`instance ${instanceId} is in service without a runner`);
  });

  it('a fleet at rest in which no sweep succeeds', async () => {
    const stage = await fleetOfOne();
    stage.fault({ service: 'events', operation: 'Scheduled Event', effect: { kind: 'lose' } });
    await stage.pass(60);

    stage.checkers.checkAtRest();

    expect(stage.checkers.violations).toEqual(['only 0 sweeps have come through in 50 minutes of rest']);
  });

  it('a token secret that outlives its use', async () => {
    const stage = await fleetOfOne();
    const [instanceId] = stage.online;
    const Name = tokenSecretName('runners', instanceId!);
    // Whatever a sweep deletes comes back.
    const plant = () => stage.aws.secretsmanager.send(new CreateSecretCommand({ Name, SecretString: 'x' }));
    for (let minutes = 0; minutes < 125; minutes += 5) {
      await stage.fleet.drive(
        plant().catch(() => {}),
        minute,
      );
      await stage.pass(5);
      if (minutes === 5) expect(await found(stage)).toBe('');
    }
    await stage.fleet.drive(
      plant().catch(() => {}),
      minute,
    );

    expect(await found(stage)).toContain(`the token secret ${Name} is left since`);
  });

  it('an instance that waits past its deadline, also when the wait is over at the next look', async () => {
    const stage = await fleetOfOne();
    // Stricter than the fleet's own 15 minutes: 5 with the margin.
    const strict = new FleetCheckers(stage.fleet, { allowedDrainTimeMs: -25 * minute, minSize: 1, maxSize: 4 });
    const { instanceId } = await running(stage, 10);
    await stage.terminate(instanceId, false);
    await stage.untilGone(instanceId, 30);

    expect(await found(stage, { checkers: strict } as CheckedFleetStage)).toContain(
      `${instanceId} waits in Terminating:Wait`,
    );
    expect(await found(stage)).toBe('');
  });

  it('a group outside its limits, also when it is back at the next look', async () => {
    const stage = await fleetOfOne({ asgMinSize: 1, asgMaxSize: 4 });
    const tooFew = new FleetCheckers(stage.fleet, { allowedDrainTimeMs: 0, minSize: 2, maxSize: 4 });
    const tooMany = new FleetCheckers(stage.fleet, { allowedDrainTimeMs: 0, minSize: 1, maxSize: 1 });
    const seen = await found(stage, { checkers: tooFew } as CheckedFleetStage);

    await stage.setDesired(4);
    await stage.untilOnline(4);
    await stage.setDesired(2);

    expect(seen).toContain('desired capacity 1 is outside 2 to 4');
    const far = await found(stage, { checkers: tooMany } as CheckedFleetStage);
    expect(far).toContain('desired capacity 4 is outside 1 to 1');
    expect(far).toContain('3 instances are more than 1');
    expect(await found(stage)).toBe('');
  });

  const leaks: Readonly<Record<string, (stage: CheckedFleetStage, secret: string) => unknown>> = {
    'the log of chatty': (stage, secret) =>
      first(stage).machine.spawn('chatty', async ({ log }) => {
        log(`token ${secret}`);
        return 0;
      }),
    'an argument list': (stage, secret) =>
      first(stage).machine.spawn('config.sh', async () => 0, { argv: ['config.sh', '--token', secret] }),
    'the environment variable TOKEN': (stage, secret) =>
      first(stage).machine.spawn('config.sh', async () => 0, { env: { TOKEN: secret } }),
    'the journal': (stage, secret) =>
      stage.fleet.world.engine.journal.record({ kind: 'note', source: 'x', name: 'told', detail: { token: secret } }),
    'the log of runners_registration': (stage, secret) =>
      stage.fleet.world.operate.appendLog('/aws/lambda/runners_registration', 's', `{"token":"${secret}"}`),
    'the environment of runners_record_metric': async (stage, secret) => {
      const FunctionName = 'runners_record_metric';
      const { Environment } = await stage.aws.lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
      const Variables = { ...Environment?.Variables, TOKEN: secret };
      await stage.aws.lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
    },
    'user data': (stage, secret) => Object.assign(first(stage).machine.instance, { userData: `token: ${secret}` }),
  };
  it('a secret value wherever it shows', async () => {
    const stage = await fleetOfOne();
    const secrets = stage.fleet.secretValues as string[];
    for (const [index, leak] of Object.values(leaks).entries()) {
      secrets.push(`A${index}${'0123456789ABCDEF'.repeat(2)}`);
      await stage.fleet.drive(Promise.resolve(leak(stage, secrets.at(-1)!)), minute);
    }
    await stage.pass(1);

    await stage.fleet.drive(stage.checkers.checkSecrecy(secrets), minute);

    const { violations } = stage.checkers;
    for (const place of Object.keys(leaks))
      expect(violations.join('\n')).toContain(`a secret value shows in ${place}: `);
    expect(violations).toHaveLength(Object.keys(leaks).length);
    for (const secret of secrets) expect(violations.join('\n')).not.toContain(secret);
  });
});

const first = (stage: CheckedFleetStage) => ({ machine: stage.fleet.world.machines.get(stage.online[0]!)! });
