import { latest } from './model.ts';
import type { Selected } from './state.ts';

/** The response of GetFunctionConfiguration. */
export function describeConfiguration({ fn, settings, qualifier }: Selected) {
  const optional = {
    Environment: nonEmpty(settings.environment) ? { Variables: settings.environment } : undefined,
    KMSKeyArn: settings.kmsKeyArn,
    VpcConfig: settings.subnetIds.length > 0 && {
      SubnetIds: settings.subnetIds,
      SecurityGroupIds: settings.securityGroupIds,
      VpcId: settings.vpcId,
    },
  };
  return {
    FunctionName: fn.name,
    FunctionArn: qualifier === undefined ? fn.arn : `${fn.arn}:${qualifier}`,
    Runtime: settings.runtime,
    Role: settings.role,
    Handler: settings.handler,
    CodeSize: settings.code.size,
    CodeSha256: settings.code.sha256,
    Description: settings.description,
    Timeout: settings.timeoutSeconds,
    MemorySize: settings.memoryMb,
    LastModified: new Date(fn.modifiedAt).toISOString().replace('Z', '+0000'),
    Version: latest,
    TracingConfig: { Mode: settings.tracingMode },
    RevisionId: fn.revisionId,
    State: fn.state,
    ...(fn.state === 'Pending' ? { StateReasonCode: 'Creating', StateReason: 'The function is being created.' } : {}),
    LastUpdateStatus: fn.lastUpdateStatus,
    PackageType: 'Zip',
    Architectures: settings.architectures,
    EphemeralStorage: { Size: settings.ephemeralStorageMb },
    LoggingConfig: {
      LogFormat: settings.logging.format,
      LogGroup: settings.logging.group ?? `/aws/lambda/${fn.name}`,
      ...(settings.logging.format === 'JSON'
        ? { ApplicationLogLevel: settings.logging.applicationLevel, SystemLogLevel: settings.logging.systemLevel }
        : {}),
    },
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined && value !== false)),
  };
}

const nonEmpty = (record: object) => Object.keys(record).length > 0;
