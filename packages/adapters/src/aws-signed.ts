/** Calls AWS through the small client that signs its requests itself: for functions, and where a package of the SDK is not worth its size. */

export type { SignedResponse } from './aws/calls/signed/protocols.ts';
export {
  autoScaling,
  cloudFormation,
  cloudWatch,
  ec2,
  ecs,
  elasticLoadBalancing,
  logs,
  s3,
  secretsManager,
  ssm,
} from './aws/calls/signed/services.ts';
export { type SignedConfig, type SignedRequest, signedCalls } from './aws/calls/signed/signed-calls.ts';
