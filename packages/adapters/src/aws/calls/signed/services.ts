import type {
  CloudWatchOperations,
  EcsOperations,
  LogsOperations,
  S3Operations,
  SecretsManagerOperations,
  SsmOperations,
} from '../calls.ts';
import { jsonProtocol, objectProtocol } from './protocols.ts';
import type { SignedService } from './signed-calls.ts';

// Calls without effect, so that a bundle has the services that it calls, and no other.

/** Amazon CloudWatch. */
export const cloudWatch: SignedService<CloudWatchOperations> = {
  name: 'monitoring',
  protocol: /* @__PURE__ */ jsonProtocol('GraniteServiceVersion20100801', '1.0'),
  operations: { PutMetricData: {} },
};

/** Amazon ECS. */
export const ecs: SignedService<EcsOperations> = {
  name: 'ecs',
  protocol: /* @__PURE__ */ jsonProtocol('AmazonEC2ContainerServiceV20141113', '1.1'),
  operations: { DescribeServices: {}, UpdateService: {} },
};

/** Amazon CloudWatch Logs. */
export const logs: SignedService<LogsOperations> = {
  name: 'logs',
  protocol: /* @__PURE__ */ jsonProtocol('Logs_20140328', '1.1'),
  operations: { CreateLogStream: {}, PutLogEvents: {} },
};

/** Amazon S3. A second attempt of a write with a condition would fail on what the first one wrote. */
export const s3: SignedService<S3Operations> = {
  name: 's3',
  protocol: objectProtocol,
  operations: { CopyObject: {}, DeleteObject: {}, GetObject: {}, PutObject: { once: true } },
};

/** AWS Secrets Manager. */
export const secretsManager: SignedService<SecretsManagerOperations> = {
  name: 'secretsmanager',
  protocol: /* @__PURE__ */ jsonProtocol('secretsmanager', '1.1'),
  operations: {
    CreateSecret: { token: true },
    PutSecretValue: { token: true },
    DeleteSecret: {},
    DescribeSecret: {},
    GetSecretValue: {},
    ListSecrets: {},
    TagResource: {},
    UpdateSecretVersionStage: {},
  },
};

/** AWS Systems Manager. */
export const ssm: SignedService<SsmOperations> = {
  name: 'ssm',
  protocol: /* @__PURE__ */ jsonProtocol('AmazonSSM', '1.1'),
  operations: { GetParameter: {}, ListCommandInvocations: {}, PutParameter: {}, SendCommand: {} },
};
