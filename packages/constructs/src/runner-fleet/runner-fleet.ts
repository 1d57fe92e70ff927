import {
  functionSuffixes,
  hostReportFolder,
  instanceLogGroup,
  metrics,
  tags as tagKeys,
  tokenSecretPrefix,
} from '@drover/core/names/runner-fleet';
import { moduleVersion } from '@drover/core/names/version';
import { Annotations, Duration, RemovalPolicy, Tags } from 'aws-cdk-lib';
import { AutoScalingGroup, type IAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Connections, IConnectable } from 'aws-cdk-lib/aws-ec2';
import { type IGrantable, type IPrincipal, type IRole, ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import { ModuleAlarms } from '../alarms.ts';
import { BootSoftware } from '../boot/software.ts';
import { groupConnections } from '../connections.ts';
import { given } from '../inputs/construct-inputs.ts';
import { logKey } from '../log-key.ts';
import { addOutputs } from '../outputs.ts';
import { sayWhatFleetSurvives } from '../survives.ts';
import { fleetAlarmRules } from './alarms.ts';
import { cacheOf } from './cache/fleet-cache.ts';
import { FleetDashboard } from './dashboard.ts';
import { FleetFunctions, type FunctionsBySuffix } from './functions.ts';
import { FleetGroup } from './group.ts';
import { allowBakes } from './image/bake-rights.ts';
import { runnerFleetInputs } from './inputs.ts';
import { fleetMetric } from './metrics.ts';
import { s3Endpoint } from './network.ts';
import { runnerFleetOutputs } from './outputs.ts';
import type { RunnerFleetProps } from './props.ts';
import { FleetScaling } from './scaling.ts';
import { FleetTypes } from './types/fleet-types.ts';
import type { FleetSettings } from './types/type-settings.ts';

/**
 * An autoscaled fleet of self-hosted GitHub Actions runners.
 *
 * As a grantee it is the role of its instances: `bucket.grantRead(fleet)` lets jobs read the bucket.
 *
 * @example
 * ```ts
 * new RunnerFleet(stack, 'Fleet', {
 *   environment: 'production',
 *   level: GitHubLevel.organization('example-org'),
 *   network: Network.fromVpc(vpc),
 *   credentials: GitHubCredentials.token(Secret.fromSecretNameV2(stack, 'Token', 'github-token')),
 *   idleRunnersTargetCount: 2,
 * });
 * ```
 */
export class RunnerFleet extends Construct implements IConnectable, IGrantable {
  /** Name of the Auto Scaling group: output `autoscaling_group_name`. */
  readonly autoscalingGroupName: string;
  /** The Auto Scaling group of the runners. Its capacity is managed by the fleet's own scaling policies. */
  readonly autoScalingGroup: IAutoScalingGroup;
  /** Role of the instances: output `runner_role_arn`. */
  readonly role: IRole;
  /** The role of the instances, as the principal of grants. */
  readonly grantPrincipal: IPrincipal;
  /** Network connections of the runners. Nothing may connect to them unless it is allowed here. */
  readonly connections: Connections;
  /** Topic that receives every alarm of the fleet: output `alarm_topic_arn`. */
  readonly alarmTopic: ITopic;
  /** The functions `registration`, `deregistration`, `record_metric` and `runner_version`; in jobs mode also `demand`. */
  readonly functions: FunctionsBySuffix<IFunction>;
  /** Roles of the instances of each type by its name. */
  readonly typeRoles: Readonly<Record<string, IRole>>;
  readonly #settings: FleetSettings;

  /** Props from a YAML or JSON file with the keys of docs/CONFIGURATION.md. */
  static readConfiguration(file: string): RunnerFleetProps {
    return runnerFleetInputs.read(file);
  }

  constructor(scope: Construct, id: string, props: RunnerFleetProps) {
    super(scope, id);
    const settings = runnerFleetInputs.settings(props);
    this.#settings = settings;
    for (const [id, warning] of Object.entries(settings.warnings)) Annotations.of(this).addWarningV2(id, warning);
    Annotations.of(this).addInfo(
      `a job that still runs ${settings.allowedDrainTime} s (allowed_drain_time) after AWS or a person began to terminate its instance is ended; drover fleet status compares this with the longest job seen`,
    );
    sayWhatFleetSurvives(this, settings);
    if (settings.permissionsBoundaryArn !== undefined)
      PermissionsBoundary.of(this).apply(
        ManagedPolicy.fromManagedPolicyArn(this, 'Boundary', settings.permissionsBoundaryArn),
      );
    const key = settings.ownLogKey ? logKey(this, 'a runner fleet') : undefined;
    const memory = this.#memoryBucket();
    const functions = new FleetFunctions(this, 'Functions', settings, memory, key);
    const programs = { 'runner-agent': 'apps/runner-agent/dist' };
    const software = new BootSoftware(this, 'Software', { architecture: settings.architecture, programs });
    const logs = new LogGroup(this, 'InstanceLogs', {
      logGroupName: instanceLogGroup(settings.groupName),
      retention: settings.logRetentionDays as RetentionDays,
      ...given({ encryptionKey: key }),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const fleet = new FleetGroup(this, 'Fleet', settings, software, { memory, logs });
    // The first launch needs the functions, their permissions and rules.
    fleet.dependsOn(functions);
    const types = new FleetTypes(this, 'Types', settings, { software, programs, memory, logs, functions, fleet });
    const { image } = functions.functions;
    if (image !== undefined) allowBakes(image.role!, settings.vendor, memory, [fleet, ...types.groups]);
    new FleetScaling(this, 'Scaling', settings, fleet.group.ref);
    const alarms = new ModuleAlarms(this, 'Alarms', settings, fleetAlarmRules(settings), key);
    const dashboard = new FleetDashboard(this, 'Overview', settings);
    for (const [name, value] of Object.entries({ ...settings.tags, [tagKeys.moduleVersion]: moduleVersion }))
      Tags.of(this).add(name, value);
    this.autoscalingGroupName = fleet.group.ref;
    this.autoScalingGroup = AutoScalingGroup.fromAutoScalingGroupName(this, 'Group', fleet.group.ref);
    this.role = fleet.role;
    this.typeRoles = types.roles;
    this.grantPrincipal = fleet.role.grantPrincipal;
    this.connections = groupConnections(this, 'Runners', {
      securityGroupId: fleet.securityGroup.attrGroupId,
      allowAllOutbound: true,
    });
    this.alarmTopic = alarms.topic;
    this.functions = functions.functions;
    s3Endpoint(this, settings);
    const cache = cacheOf(this, settings);
    addOutputs(this, runnerFleetOutputs, {
      ...functionOutputs(functions.functions),
      autoscaling_group_name: fleet.group.ref,
      instance_log_group: logs.logGroupName,
      alarm_topic_arn: alarms.topic.topicArn,
      dashboard_url: dashboard.url,
      runner_role_arn: fleet.role.roleArn,
      registration_token_secret_prefix: tokenSecretPrefix(settings.groupName),
      cache_bucket_name: cache?.bucket.bucketName,
      cache_roles: cache?.roleList,
      module_version: moduleVersion,
    });
  }

  /** A metric of the fleet by its name; average over a minute unless `options` say otherwise. */
  metric(metricName: string, options?: MetricOptions): Metric {
    return fleetMetric(this.#settings, metricName, options);
  }

  /** Number of runners that are online and have no job: `IdleRunnersCount`, on which the fleet scales. */
  metricIdleRunners(options?: MetricOptions): Metric {
    return this.metric(metrics.idle, options);
  }

  /** Number of runners that have a job: `BusyRunnersCount`. */
  metricBusyRunners(options?: MetricOptions): Metric {
    return this.metric(metrics.busy, options);
  }

  /** Number of runners that GitHub reports as offline: `RunnersOffline`. */
  metricOfflineRunners(options?: MetricOptions): Metric {
    return this.metric(metrics.offline, options);
  }

  /** Number of instances in service without a runner: `RunnersMissing`. */
  metricMissingRunners(options?: MetricOptions): Metric {
    return this.metric(metrics.missing, options);
  }

  /** Seconds for which the oldest lifecycle action has been waiting: `HookAgeSeconds`. */
  metricHookAge(options?: MetricOptions): Metric {
    return this.metric(metrics.hookAge, options);
  }

  /** Requests to the GitHub API that are left before its rate limit: `PlatformRateLimitRemaining`. */
  metricRateLimitRemaining(options?: MetricOptions): Metric {
    return this.metric(metrics.rateLimitRemaining, options);
  }

  /** The bucket for the memory of the functions between passes, and for the reports of the hosts. */
  #memoryBucket(): Bucket {
    const memory = new Bucket(this, 'Memory', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
      // A host that lives writes its report every few minutes.
      lifecycleRules: [{ prefix: hostReportFolder, expiration: Duration.days(7) }],
    });
    acknowledge(memory, { S1: 'small objects that are rewritten every few minutes; a log of it would outgrow it' });
    return memory;
  }
}

/** Name, log group and role of each function. */
const functionOutputs = (functions: FunctionsBySuffix<LambdaFunction>) =>
  Object.fromEntries(
    functionSuffixes.flatMap((suffix) => {
      const { functionName, logGroup, role } = functions[suffix];
      return [
        [`${suffix}_function_name`, functionName],
        [`${suffix}_log_group`, logGroup.logGroupName],
        [`${suffix}_role_arn`, role!.roleArn],
      ];
    }),
  ) as Record<`${(typeof functionSuffixes)[number]}_${'function_name' | 'log_group' | 'role_arn'}`, string>;
