/** Calls AWS through the SDK. */
import * as autoScalingSdk from './aws/calls/sdk/auto-scaling.ts';
import * as cloudWatchSdk from './aws/calls/sdk/cloudwatch.ts';
import * as ec2Sdk from './aws/calls/sdk/ec2.ts';
import * as secretsManagerSdk from './aws/calls/sdk/secrets-manager.ts';
import * as ssmSdk from './aws/calls/sdk/ssm.ts';

export { callsThrough, type SdkConfig, sdkCalls, signingAs } from './aws/calls/sdk-calls.ts';
export { sdkProxy } from './http/env-proxy.ts';
export { autoScalingSdk, cloudWatchSdk, ec2Sdk, secretsManagerSdk, ssmSdk };
