import { tags as tagKeys, tokenSecretPrefix } from '@drover/core/names/runner-fleet';
import { moduleVersion } from '@drover/core/names/version';
import { Annotations, RemovalPolicy, Tags } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import { ModuleAlarms } from '../alarms.ts';
import { BootSoftware } from '../boot/software.ts';
import { logKey } from '../log-key.ts';
import { addOutputs } from '../outputs.ts';
import { fleetAlarmRules } from './alarms.ts';
import { FleetDashboard } from './dashboard.ts';
import { FleetFunctions } from './functions.ts';
import { FleetGroup } from './group.ts';
import { runnerFleetInputs } from './inputs.ts';
import { runnerFleetOutputs } from './outputs.ts';
import type { RunnerFleetProps } from './props.ts';
import { FleetScaling } from './scaling.ts';

/** An autoscaled fleet of self-hosted CI runners. */
export class RunnerFleet extends Construct {
  /** Name of the Auto Scaling group: output `autoscaling_group_name`. */
  readonly autoscalingGroupName: string;

  /** Props from a YAML or JSON file with the keys of docs/CONFIGURATION.md. */
  static readConfiguration(file: string): RunnerFleetProps {
    return runnerFleetInputs.read(file);
  }

  constructor(scope: Construct, id: string, props: RunnerFleetProps) {
    super(scope, id);
    const settings = runnerFleetInputs.settings(props);
    for (const warning of settings.warnings) Annotations.of(this).addWarningV2('drover:warm-pool-off', warning);
    const key = logKey(this, 'a runner fleet');
    const memory = new Bucket(this, 'Memory', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    acknowledge(memory, { S1: 'one object that the functions rewrite every minute; a log of it would outgrow it' });
    const functions = new FleetFunctions(this, 'Functions', settings, memory, key);
    const software = new BootSoftware(this, 'Software', {
      architecture: settings.architecture,
      programs: { 'runner-agent': 'apps/runner-agent/dist' },
    });
    const fleet = new FleetGroup(this, 'Fleet', settings, software);
    // The first launch must find the functions, their permissions and rules.
    fleet.group.node.addDependency(functions);
    new FleetScaling(this, 'Scaling', settings, fleet.group.ref);
    const alarms = new ModuleAlarms(this, 'Alarms', settings, fleetAlarmRules(settings), key);
    const dashboard = new FleetDashboard(this, 'Overview', settings);
    for (const [name, value] of Object.entries({ ...settings.tags, [tagKeys.moduleVersion]: moduleVersion }))
      Tags.of(this).add(name, value);
    this.autoscalingGroupName = fleet.group.ref;
    const { registration, deregistration, record_metric } = functions.functions;
    addOutputs(this, runnerFleetOutputs, {
      autoscaling_group_name: fleet.group.ref,
      registration_function_name: registration.functionName,
      deregistration_function_name: deregistration.functionName,
      record_metric_function_name: record_metric.functionName,
      registration_log_group: registration.logGroup.logGroupName,
      deregistration_log_group: deregistration.logGroup.logGroupName,
      record_metric_log_group: record_metric.logGroup.logGroupName,
      alarm_topic_arn: alarms.topic.topicArn,
      dashboard_url: dashboard.url,
      runner_role_arn: fleet.role.roleArn,
      registration_token_secret_prefix: tokenSecretPrefix(settings.groupName),
      module_version: moduleVersion,
    });
  }
}
