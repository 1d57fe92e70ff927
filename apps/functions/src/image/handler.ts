import { autoScaling, cloudWatch, ec2, s3, signedCalls, ssm } from '@drover/adapters/aws/signed';
import { imageFunction } from '@drover/fleet-runtime';
import { lambdaRuntime, signedConfig } from '../lambda.ts';

export const handler = imageFunction({
  ...lambdaRuntime(),
  aws: (region) => {
    const config = signedConfig(region);
    return {
      autoscaling: signedCalls(autoScaling, config),
      ec2: signedCalls(ec2, config),
      monitoring: signedCalls(cloudWatch, config),
      s3: signedCalls(s3, config),
      ssm: signedCalls(ssm, config),
    };
  },
});
