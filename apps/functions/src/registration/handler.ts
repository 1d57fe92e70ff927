import { autoScaling, cloudWatch, s3, secretsManager, signedCalls } from '@drover/adapters/aws/signed';
import { registrationFunction } from '@drover/fleet-runtime';
import { lambdaRuntime, signedConfig } from '../lambda.ts';

export const handler = registrationFunction({
  ...lambdaRuntime(),
  aws: (region) => {
    const config = signedConfig(region);
    return {
      autoscaling: signedCalls(autoScaling, config),
      monitoring: signedCalls(cloudWatch, config),
      s3: signedCalls(s3, config),
      secretsmanager: signedCalls(secretsManager, config),
    };
  },
});
