import {
  autoScaling,
  cloudFormation,
  cloudWatch,
  ec2,
  elasticLoadBalancing,
  s3,
  signedCalls,
  ssm,
} from '@drover/adapters/aws/signed';
import { lambdaRuntime, signedConfig } from '../lambda.ts';
import { required } from '../module-function.ts';
import { clusterWatchFunction } from './cluster-watch.ts';

const config = signedConfig(required(process.env, 'AWS_REGION'));

export const handler = clusterWatchFunction({
  ...lambdaRuntime(),
  aws: {
    autoscaling: signedCalls(autoScaling, config),
    cloudformation: signedCalls(cloudFormation, config),
    ec2: signedCalls(ec2, config),
    elasticloadbalancing: signedCalls(elasticLoadBalancing, config),
    monitoring: signedCalls(cloudWatch, config),
    s3: signedCalls(s3, config),
    ssm: signedCalls(ssm, config),
  },
});
