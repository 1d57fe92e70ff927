/** Calls AWS through the small client that signs its requests itself: for functions, and where a package of the SDK is not worth its size. */

export { autoScaling } from './aws/calls/signed/auto-scaling.ts';
export { cloudFormation } from './aws/calls/signed/cloud-formation.ts';
export { ec2 } from './aws/calls/signed/ec2.ts';
export { elasticLoadBalancing } from './aws/calls/signed/load-balancing.ts';
export type { SignedResponse } from './aws/calls/signed/protocols.ts';
export { cloudWatch, ecs, logs, s3, secretsManager, ssm } from './aws/calls/signed/services.ts';
export { type SignedConfig, type SignedRequest, signedCalls } from './aws/calls/signed/signed-calls.ts';
