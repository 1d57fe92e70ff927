import { autoScaling, s3, secretsManager, signedCalls } from '@drover/adapters/aws/signed';
import { demandFunction } from '@drover/fleet-runtime';
import { lambdaRuntime, signedConfig } from '../lambda.ts';

export const handler = demandFunction({
  ...lambdaRuntime(),
  aws: (region) => {
    const config = signedConfig(region);
    return {
      autoscaling: signedCalls(autoScaling, config),
      s3: signedCalls(s3, config),
      secretsmanager: signedCalls(secretsManager, config),
    };
  },
});
