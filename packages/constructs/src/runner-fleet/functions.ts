import {
  demandEnvironment,
  type FunctionSuffix,
  functionLogGroup,
  functionName,
  type functionSuffixes,
  functionsOf,
  environment as keys,
  smallFleet,
  versionEnvironment,
} from '@drover/core/names/runner-fleet';
import { Duration, RemovalPolicy, Token } from 'aws-cdk-lib';
import { CfnSecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { type CfnFunction, Function as LambdaFn } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledgeWildcards } from '../acknowledge.ts';
import { portOf, tcp } from '../connections.ts';
import { functionPlatform } from '../function-code.ts';
import { given } from '../inputs/construct-inputs.ts';
import { instanceArn } from '../statements.ts';
import { functionNetwork, networkedCode, proxyPorts } from './network.ts';
import { functionStatements, hasFurtherGroups, lambdaStatements, memoryKey, wildcardReasons } from './permissions.ts';
import {
  allGroupNames,
  type FleetSettings,
  groupNames,
  otherArchitecture,
  scaleSetLabels,
} from './types/type-settings.ts';

const bundles: Readonly<Record<FunctionSuffix, string>> = {
  registration: 'apps/functions/dist/registration',
  deregistration: 'apps/functions/dist/deregistration',
  record_metric: 'apps/functions/dist/record-metric',
  runner_version: 'apps/functions/dist/runner-version',
  demand: 'apps/functions/dist/demand',
  image: 'apps/functions/dist/image',
};

/** For how long a window of the demand polls; the next one begins a minute after it. */
const windowSeconds = 50;

/** An archive of 200 MB takes long to copy, and a window waits for news; its lease lasts longer. The other functions never wait. */
const timeouts: Partial<Record<FunctionSuffix, number>> = { runner_version: 600, demand: 65 };
export const timeoutSeconds = (suffix: FunctionSuffix): number => timeouts[suffix] ?? 60;

/**
 * A window lasts nearly a minute of each minute and waits for most of it, so its memory is its price. The peak of each function is measured
 * by `npm run bench -- --only fleet.memory` and `fleet.types.function`.
 */
const memoryOf = (suffix: FunctionSuffix, { hasTypes, asgMaxSize }: FleetSettings): number =>
  suffix === 'demand' && !hasTypes && !Token.isUnresolved(asgMaxSize) && asgMaxSize <= smallFleet
    ? 128
    : functionPlatform.memorySize;

/** Functions by suffix; `demand` exists in jobs mode, `image` with `image_bake_days`. */
export type FunctionsBySuffix<Fn> = Readonly<Record<(typeof functionSuffixes)[number], Fn>> & {
  readonly demand?: Fn;
  readonly image?: Fn;
};

export const bakesImages = ({ imageBakeDays }: Pick<FleetSettings, 'imageBakeDays'>): boolean =>
  imageBakeDays !== undefined;

/** The functions of a fleet with their logs, permissions and triggers. */
export class FleetFunctions extends Construct {
  readonly functions: FunctionsBySuffix<LambdaFn>;
  readonly rules: readonly Rule[];

  constructor(scope: Construct, id: string, settings: FleetSettings, memory: Bucket, logKey: Key | undefined) {
    super(scope, id);
    const network = this.#securityGroup(settings);
    const made = functionsOf(settings.scalingMode, bakesImages(settings)).map(
      (suffix) => [suffix, this.#function(suffix, settings, memory, logKey, network)] as const,
    );
    this.functions = Object.fromEntries(made) as Record<FunctionSuffix, LambdaFn>;
    this.rules = [
      // A first instance waits for the runner software in the mirror: its launch is the earliest sign that it is needed.
      this.#lifecycleRule('Launch', 'EC2 Instance-launch Lifecycle Action', settings, [
        this.functions.registration,
        this.functions.runner_version,
      ]),
      this.#lifecycleRule('Terminate', 'EC2 Instance-terminate Lifecycle Action', settings, [
        this.functions.deregistration,
      ]),
      ...made.map(([suffix, fn]) => this.#scheduled(suffix, fn)),
    ];
  }

  #function(
    suffix: FunctionSuffix,
    settings: FleetSettings,
    memory: Bucket,
    logKey: Key | undefined,
    network: CfnSecurityGroup,
  ): LambdaFn {
    const name = functionName(settings.groupName, suffix);
    const logGroup = new LogGroup(this, `${suffix}Logs`, {
      logGroupName: functionLogGroup(settings.functionLogPrefix, name),
      retention: settings.logRetentionDays as RetentionDays,
      ...given({ encryptionKey: logKey }),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, `${suffix}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const inVpc = settings.functionSubnetIds.length > 0;
    const statements = lambdaStatements(name, logGroup.logGroupArn, inVpc);
    for (const statement of [...statements, ...functionStatements(suffix, settings, memory)])
      role.addToPolicy(statement);
    acknowledgeWildcards(role, wildcardReasons(groupNames(settings), memory, hasFurtherGroups(settings)));
    const fn = new LambdaFn(this, suffix, {
      functionName: name,
      ...functionPlatform,
      memorySize: memoryOf(suffix, settings),
      code: networkedCode(bundles[suffix], settings),
      timeout: Duration.seconds(timeoutSeconds(suffix)),
      // The next minute's invocation does the work again; a retry would only overlap with it.
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
      role,
      logGroup,
      environment: {
        ...functionEnvironment(settings, memory),
        ...(suffix === 'registration' ? { [keys.bootTimeout]: String(settings.bootTimeout) } : {}),
        ...(suffix === 'runner_version' ? versionVariables(settings) : {}),
        ...(suffix === 'demand' ? demandVariables(settings) : {}),
      },
    });
    // Empty lists, and not none: so Lambda takes a function out of a VPC (API reference, UpdateFunctionConfiguration).
    (fn.node.defaultChild as CfnFunction).vpcConfig = {
      subnetIds: [...settings.functionSubnetIds],
      securityGroupIds: inVpc ? [network.attrGroupId, ...(settings.extraSecurityGroupIds ?? [])] : [],
    };
    return fn;
  }

  /**
   * Functions have outbound connections only. Outside a VPC they have no use for it, but those that left one have: Lambda deletes their
   * network interfaces after many minutes, and until then EC2 refuses to delete the group (aws/aws-cdk#12827).
   */
  #securityGroup(settings: FleetSettings): CfnSecurityGroup {
    return new CfnSecurityGroup(this, 'Network', {
      groupDescription: `functions of the runner fleet ${settings.groupName}`,
      vpcId: settings.vpcId,
      securityGroupEgress: [
        ...new Set([443, portOf(settings.platformApi), portOf(settings.runnerReleaseUrl), ...proxyPorts(settings)]),
      ].map((port) => ({
        ...tcp(port, port === 443 ? 'AWS and the platform' : 'the platform or a proxy'),
        cidrIp: '0.0.0.0/0',
      })),
    });
  }

  #lifecycleRule(id: string, detailType: string, settings: FleetSettings, targets: readonly LambdaFn[]): Rule {
    return new Rule(this, id, {
      eventPattern: {
        source: ['aws.autoscaling'],
        detailType: [detailType],
        detail: { AutoScalingGroupName: [...allGroupNames(settings)] },
      },
      targets: targets.map((target) => new LambdaFunction(target)),
    });
  }

  #scheduled(suffix: FunctionSuffix, target: LambdaFn): Rule {
    const minutes = everyMinutes[suffix] ?? 1;
    return new Rule(this, minutes === 1 ? `${suffix}EveryMinute` : `${suffix}Schedule`, {
      schedule: Schedule.rate(Duration.minutes(minutes)),
      targets: [new LambdaFunction(target, { retryAttempts: 0 })],
    });
  }
}

/** A bake takes as long as six passes. */
const everyMinutes: Partial<Record<FunctionSuffix, number>> = { runner_version: 15, image: 5 };

/** How archives of the runner software call an architecture. */
const archiveArchitecture = { x86_64: 'x64', arm64: 'arm64' } as const;

const versionVariables = (settings: FleetSettings): Record<string, string> => ({
  [versionEnvironment.version]: settings.runnerVersion,
  [versionEnvironment.architecture]: archiveArchitecture[settings.architecture],
  [versionEnvironment.releaseUrl]: settings.runnerReleaseUrl,
  [versionEnvironment.lifetimeDays]: String(settings.maxInstanceLifetimeDays),
  [versionEnvironment.replacesAtRisk]: String(settings.capacityRebalance),
  ...(settings.runnerChecksum === undefined ? {} : { [versionEnvironment.checksum]: settings.runnerChecksum }),
  ...otherVariables(otherArchitecture(settings)),
});

const otherVariables = (other: keyof typeof archiveArchitecture | undefined): Record<string, string> =>
  other === undefined ? {} : { [versionEnvironment.otherArchitecture]: archiveArchitecture[other] };

const demandVariables = (settings: FleetSettings): Record<string, string> => ({
  [demandEnvironment.labels]: JSON.stringify(scaleSetLabels(settings)),
  [demandEnvironment.window]: String(windowSeconds),
  ...(settings.adaptiveWindows ? { [demandEnvironment.adaptive]: 'true' } : {}),
  ...(settings.rerunInterruptedJobs ? { [demandEnvironment.rerunInterrupted]: 'true' } : {}),
});

const levelKeys = {
  org: keys.platformOrg,
  repo: keys.platformRepository,
  enterprise: keys.platformEnterprise,
} as const;

function functionEnvironment(settings: FleetSettings, memory: Bucket): Record<string, string> {
  const { scalingMode, idleTargetSchedules } = settings;
  return given({
    [keys.groupName]: settings.groupName,
    [keys.platformApi]: settings.platformApi,
    [levelKeys[settings.level.kind]]: settings.level.name,
    [keys.allowedDrainTime]: String(settings.allowedDrainTime),
    [keys.idleTarget]: String(settings.idleRunnersTargetCount),
    [keys.scaleUpLimit]: String(settings.scaleUpLimit),
    [keys.vendor]: settings.vendor,
    [keys.instanceArnPrefix]: instanceArn(''),
    [keys.memoryBucket]: memory.bucketName,
    [keys.memoryKey]: memoryKey,
    ...functionNetwork(settings),
    [keys.scalingMode]: scalingMode === 'idle' ? undefined : scalingMode,
    [keys.types]: settings.hasTypes ? 'true' : undefined,
    [keys.onDemandFallback]: settings.hasFallback ? 'true' : undefined,
    [keys.imageBakeDays]: settings.imageBakeDays === undefined ? undefined : String(settings.imageBakeDays),
    [keys.idleTargetSchedules]: idleTargetSchedules.length === 0 ? undefined : JSON.stringify(idleTargetSchedules),
    [keys.platformTokenSecret]: settings.platformTokenSecretArn,
    [keys.platformAppId]: settings.platformAppId,
    [keys.platformAppPemSecret]: settings.platformAppPemSecretArn,
    [keys.runnerGroup]: settings.runnerGroup,
    [keys.runnerReleased]: settings.runnerReleaseDate,
  }) as Record<string, string>;
}
