import { type AwsCalls, bakingGroups, fleetMetrics, scheduledImages } from '@drover/adapters/aws';
import { environment as keys } from '@drover/core/names/runner-fleet';
import { keepImages } from '@drover/runner-fleet';
import type { FunctionRuntime } from './compose.ts';
import { bakeDays, type Environment, readConfig, reader } from './function-config.ts';
import { withRemedyInMessage } from './remedy-in-message.ts';

/** It calls neither the platform nor the secret of its credentials. */
export type ImageFunctionAws = Pick<AwsCalls, 'autoscaling' | 'ec2' | 'monitoring' | 's3' | 'ssm'>;
type Runtime = Pick<FunctionRuntime, 'env' | 'clock' | 'log'> & { aws(region: string): ImageFunctionAws };

/** Undefined where no image is baked by itself. */
export const bakeDaysIn = (environment: Environment): number | undefined =>
  reader(environment).optional(keys.imageBakeDays, bakeDays);

/** `<asg>_image`: every five minutes, a step of each bake that is under way, or the beginning of one that is due. */
export const imageFunction = withRemedyInMessage(({ env, clock, log, ...runtime }: Runtime) => {
  const { fleet, hasTypes, vendor, memory, region } = readConfig(env);
  const days = reader(env).required(keys.imageBakeDays, bakeDays);
  const aws = runtime.aws(region);
  return async () => {
    const found = await bakingGroups(aws, { fleet, hasTypes, bucket: memory.bucket });
    const groups = found.map(([type, group]) => {
      const say = (text: string) => log.info(text, { group: group.groupName });
      return { type, ports: scheduledImages(aws, group, clock, say) };
    });
    const metrics = fleetMetrics(aws, { vendor, groupName: fleet });
    await keepImages(groups, { clock, log, metrics, days });
  };
});
