import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { workerName } from '@drover/cloud-github';
import { tokenSecretName } from '@drover/core/names/runner-fleet';
import { expect, it } from 'vitest';
import { CheckedFleetStage } from '../../../simulation/src/stories/checked-fleet-stage.ts';
import { FleetCheckers } from './fleet-checkers.ts';

const minute = 60_000;
const inputs = {
  scalingMode: 'jobs',
  asgMinSize: 0,
  asgMaxSize: 2,
  idleRunnersTargetCount: 0,
  types: { small: { idleRunnersTargetCount: 1 } },
} as const;

it('the checkers of a fleet with types find what is wrong with a further type', { timeout: 300_000 }, async () => {
  const stage = await CheckedFleetStage.open(inputs);
  const limits = { allowedDrainTimeMs: 900_000, minSize: 0, maxSize: 2, jobs: { idleTarget: 0 } };
  // As if no one had asked for an instance of the type.
  const types = { small: { minSize: 0, maxSize: 0, idleTarget: 0 } };
  const strict = new FleetCheckers(stage.fleet, { ...limits, types });
  const { registry, scaleSets } = stage.fleet.codeHost;
  const found = (checkers: FleetCheckers) => checkers.violations.join('\n');
  await stage.untilOnline(1);
  const [instanceId] = stage.online;

  await stage.pass(25);
  await stage.fleet.drive(strict.checkAlways(), minute);
  expect(found(strict)).toContain('desired capacity 1 is outside 0 to 0 in runners-small');
  expect(found(strict)).toContain(`runners-small: instance ${instanceId} has had no other reason than surplus for 20`);
  expect(found(stage.checkers)).toBe('');

  const job = registry.queue.enqueue({ durationMs: 60 * minute, runsOn: ['runners-small'] });
  await stage.fleet.until('the job runs', () => job.state === 'running', 5 * minute);
  const worker = stage.fleet.world.machines
    .get(job.runnerName!)!
    .processes()
    .find(({ name }) => name === workerName)!;
  worker.signal('SIGKILL');
  await stage.pass(15);
  await stage.fleet.drive(stage.checkers.checkAlways(), minute);
  expect(found(stage.checkers)).toMatch(/^job 1 was lost by us on i-[^\n]+$/);

  const { level, settings } = scaleSets.named('runners-small')!;
  await stage.update({ ...inputs, types: {} });
  await stage.pass(10);
  expect([stage.groupOf('small'), scaleSets.named('runners-small')]).toEqual([undefined, undefined]);
  // As if the windows had forgotten the type, and a boot that was cut off had left its token.
  scaleSets.create(level, settings);
  const Name = tokenSecretName('runners-small', 'i-0000000000000000a');
  await stage.aws.secretsmanager.send(new CreateSecretCommand({ Name, SecretString: 'x' }));
  await stage.pass(130);
  expect(found(stage.checkers)).toContain(
    'runners-small: the scale set runners-small is left at GitHub, for 60 minutes',
  );
  expect(found(stage.checkers)).toContain(
    'runners-small: the token secret of i-0000000000000000a is left, which is gone, for 60 minutes',
  );
});
