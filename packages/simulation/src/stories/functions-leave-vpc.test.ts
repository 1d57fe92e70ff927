import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { functionName, functionsOf, type ScalingMode } from '@drover/core/names/runner-fleet';
import { expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
const modes = {
  idle: { asgMinSize: 2, asgMaxSize: 4, allowedDrainTime: 7_200 },
  jobs: { scalingMode: 'jobs', asgMinSize: 0, asgMaxSize: 4, idleRunnersTargetCount: 0, allowedDrainTime: 7_200 },
} as const;

/** How many subnets each function of the fleet has. */
const subnets = (stage: CheckedFleetStage, mode: ScalingMode) =>
  Promise.all(
    functionsOf(mode).map(async (suffix) => {
      const command = new GetFunctionConfigurationCommand({ FunctionName: functionName('runners', suffix) });
      const { VpcConfig } = await stage.fleet.drive(stage.aws.lambda.send(command), minute);
      return VpcConfig?.SubnetIds?.length ?? 0;
    }),
  );

it.each(['idle', 'jobs'] as const)(
  'in %s mode functions leave their VPC and return to it while jobs run and wait, and each job runs once, on the machine it began on',
  async (mode) => {
    const stage = await CheckedFleetStage.open(modes[mode], { transport: 'sdk' });
    const works = stage.enqueue(40, 2);
    await stage.fleet.until('both run', () => works.every(({ state }) => state === 'running'), 60 * minute);
    const hosts = works.map(({ runnerName }) => runnerName);

    works.push(...stage.enqueue(10, 1));
    // The key of the logs goes with them, and comes back.
    await stage.update({ ...modes[mode], ownLogKey: false }, 'outside');
    expect(new Set(await subnets(stage, mode))).toEqual(new Set([0]));
    works.push(...stage.enqueue(10, 1));
    await stage.fleet.until('all are over', () => works.every(({ endedAt }) => endedAt !== undefined), 180 * minute);
    const outside = stage.enqueue(20, 2);
    await stage.fleet.until('two run', () => outside.every(({ state }) => state === 'running'), 60 * minute);
    await stage.update(modes[mode]);
    expect(new Set(await subnets(stage, mode))).toEqual(new Set([2]));
    await stage.fleet.until('they are over', () => outside.every(({ endedAt }) => endedAt !== undefined), 60 * minute);

    expect([...works, ...outside].map(({ state }) => state)).toEqual([...works, ...outside].map(() => 'completed'));
    expect(works.slice(0, 2).map(({ runnerName }) => runnerName)).toEqual(hosts);
    expect(await stage.violationsAtRest()).toEqual([]);
  },
  600_000,
);
