import { autoScaling, ec2, s3, secretsManager, signedCalls, ssm } from '@drover/adapters/aws/signed';
import { deregistrationFunction } from '@drover/fleet-runtime';
import { lambdaRuntime, signedConfig } from '../lambda.ts';

export const handler = deregistrationFunction({
  ...lambdaRuntime(),
  aws: (region) => {
    const config = signedConfig(region);
    return {
      autoscaling: signedCalls(autoScaling, config),
      ec2: signedCalls(ec2, config),
      s3: signedCalls(s3, config),
      secretsmanager: signedCalls(secretsManager, config),
      ssm: signedCalls(ssm, config),
    };
  },
});
