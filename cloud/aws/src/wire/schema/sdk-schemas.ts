/**
 * Every runtime import of an SDK package by the embedded cloud is here. The packages carry schemas of all their
 * operations (`CompleteLifecycleAction$`, …); the wire layer reads requests and writes responses by them. Client
 * packages are loaded when a request for the service is first seen: EC2's alone takes longer than all the others. The
 * loading is synchronous, so that it costs no turn of the event loop and cannot be overtaken by a virtual clock.
 */
import { createRequire } from 'node:module';
import { XmlCodec } from '@aws-sdk/core/protocols';
import { CborCodec } from '@smithy/core/cbor';
import { loadSharedConfigFiles } from '@smithy/core/config';
import {
  FromStringShapeDeserializer,
  JsonCodec2,
  HttpResponse as SdkHttpResponse,
  ToStringShapeSerializer,
} from '@smithy/core/protocols';
import { NormalizedSchema } from '@smithy/core/schema';
import type { StaticErrorSchema, StaticOperationSchema, StaticStructureSchema } from '@smithy/types';
import type { ServiceId } from '../../account/service.ts';

export type { HttpHandlerOptions, HttpRequest as SdkHttpRequest, Logger } from '@smithy/types';
export type { StaticErrorSchema, StaticOperationSchema, StaticStructureSchema };
export {
  CborCodec,
  FromStringShapeDeserializer,
  JsonCodec2,
  NormalizedSchema,
  SdkHttpResponse,
  ToStringShapeSerializer,
  XmlCodec,
};

/** npm package and client class by signing name. */
export const clientPackages = {
  autoscaling: ['@aws-sdk/client-auto-scaling', 'AutoScalingClient'],
  cloudformation: ['@aws-sdk/client-cloudformation', 'CloudFormationClient'],
  ec2: ['@aws-sdk/client-ec2', 'EC2Client'],
  ecs: ['@aws-sdk/client-ecs', 'ECSClient'],
  elasticloadbalancing: ['@aws-sdk/client-elastic-load-balancing-v2', 'ElasticLoadBalancingV2Client'],
  events: ['@aws-sdk/client-eventbridge', 'EventBridgeClient'],
  iam: ['@aws-sdk/client-iam', 'IAMClient'],
  lambda: ['@aws-sdk/client-lambda', 'LambdaClient'],
  logs: ['@aws-sdk/client-cloudwatch-logs', 'CloudWatchLogsClient'],
  monitoring: ['@aws-sdk/client-cloudwatch', 'CloudWatchClient'],
  route53: ['@aws-sdk/client-route-53', 'Route53Client'],
  s3: ['@aws-sdk/client-s3', 'S3Client'],
  secretsmanager: ['@aws-sdk/client-secrets-manager', 'SecretsManagerClient'],
  ssm: ['@aws-sdk/client-ssm', 'SSMClient'],
  sts: ['@aws-sdk/client-sts', 'STSClient'],
} as const satisfies Record<ServiceId, readonly [string, string]>;

const requirePackage = createRequire(import.meta.url);

/** The exports of the service's client package: its client class, its commands and its schemas. */
export function loadClientPackage(service: ServiceId): Readonly<Record<string, unknown>> {
  return requirePackage(clientPackages[service][0]);
}

/** The operations and errors of a service as its package describes them. */
export function loadSchemas(service: ServiceId): { operations: StaticOperationSchema[]; errors: StaticErrorSchema[] } {
  const schemas = Object.values(loadClientPackage(service)).filter(isSchema);
  return {
    operations: schemas.filter((schema): schema is StaticOperationSchema => schema[0] === 9),
    errors: schemas.filter((schema): schema is StaticErrorSchema => schema[0] === -3),
  };
}

const isSchema = (value: unknown): value is StaticOperationSchema | StaticErrorSchema | StaticStructureSchema =>
  Array.isArray(value) && value.length >= 5 && typeof value[0] === 'number';

/** Reads the files that clients look their defaults up in, once per process: afterwards not even a client's first call reads a file. */
export async function readSharedConfiguration(): Promise<void> {
  await loadSharedConfigFiles();
}
