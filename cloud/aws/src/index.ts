export { Aws, type AwsOptions } from './account/aws.ts';
export { AwsError } from './account/errors.ts';
export type {
  Ec2Instance,
  IamNeighbour,
  MachinePower,
  RemoteAgent,
  S3Neighbour,
} from './account/neighbours.ts';
export type { AwsService, Caller, Credentials, ServiceId } from './account/service.ts';
export { assetBucket } from './cloudformation/bootstrap.ts';
export type { Stack } from './cloudformation/deploy/model.ts';
export type { GivenParameter } from './cloudformation/template/parameters.ts';
export { parseTemplate } from './cloudformation/template/parse.ts';
export { instanceTypes } from './services/ec2/catalog.ts';
export { noWayOut } from './services/ec2/network/internet-access.ts';
export type { TaskContext, TaskProgram } from './services/ecs/model.ts';
export type { FunctionEnvironment } from './services/lambda/model.ts';
export { fillFrom } from './services/lambda/sandbox/crypto.ts';
export { programClock } from './services/lambda/sandbox/program-clock.ts';
export { fastClientConfig, inProcessClientConfig } from './wire/client-config.ts';
export { requestHandlerOver } from './wire/request-handler.ts';
export { clientPackages, loadClientPackage } from './wire/schema/sdk-schemas.ts';
export { preload } from './wire/schema/service-model.ts';
export { awsEndpoint, drawRequestId, type InProcessOptions, joinNetwork, serveAws } from './wire/wire.ts';
