import type { Engine } from '@drover/cloud-engine';
import { CloudFormation } from '../cloudformation/cloudformation.ts';
import { Iam } from '../iam/iam.ts';
import { Acm } from '../services/acm/acm.ts';
import { AutoScaling } from '../services/autoscaling/autoscaling.ts';
import { CloudWatch } from '../services/cloudwatch/cloudwatch.ts';
import { Ec2 } from '../services/ec2/ec2.ts';
import { Ecs } from '../services/ecs/ecs.ts';
import { LoadBalancing } from '../services/elbv2/elbv2.ts';
import { Events } from '../services/events/events.ts';
import { Kms } from '../services/kms/kms.ts';
import { Lambda } from '../services/lambda/lambda.ts';
import { Logs } from '../services/logs/logs.ts';
import { Route53 } from '../services/route53/route53.ts';
import { S3 } from '../services/s3/s3.ts';
import { SecretsManager } from '../services/secretsmanager/secretsmanager.ts';
import { Sns } from '../services/sns/sns.ts';
import { Ssm } from '../services/ssm/ssm.ts';
import { Sts } from '../services/sts/sts.ts';
import { dispatch } from './dispatch.ts';
import { withModelledProperties } from './modelled.ts';
import type { AwsNeighbours, MachinePower } from './neighbours.ts';
import type { AwsService, Caller, ResourceProviders, ResourceService, ServiceId } from './service.ts';

export interface AwsOptions {
  /** @default 123456789012 */
  readonly accountId?: string;
  /** @default eu-west-1 */
  readonly region?: string;
}

/** One account in one region: the only place that knows the classes of all services. */
export class Aws implements AwsNeighbours {
  readonly engine: Engine;
  readonly accountId: string;
  readonly region: string;
  readonly zones: readonly string[];
  readonly machines: MachinePower;

  readonly iam: Iam;
  readonly sts: Sts;
  readonly kms: Kms;
  readonly s3: S3;
  readonly logs: Logs;
  readonly cloudwatch: CloudWatch;
  readonly sns: Sns;
  readonly events: Events;
  readonly lambda: Lambda;
  readonly secretsmanager: SecretsManager;
  readonly ssm: Ssm;
  readonly ec2: Ec2;
  readonly elbv2: LoadBalancing;
  readonly autoscaling: AutoScaling;
  readonly route53: Route53;
  readonly acm: Acm;
  readonly ecs: Ecs;
  readonly cloudformation: CloudFormation;

  /** By signing name. */
  readonly services: Readonly<Record<ServiceId, AwsService>>;
  readonly resources: ResourceProviders;

  constructor(engine: Engine, machines: MachinePower, options: AwsOptions = {}) {
    this.engine = engine;
    this.machines = machines;
    this.accountId = options.accountId ?? '123456789012';
    this.region = options.region ?? 'eu-west-1';
    this.zones = ['a', 'b', 'c'].map((letter) => `${this.region}${letter}`);
    this.iam = new Iam(this);
    this.sts = new Sts(this);
    this.kms = new Kms(this);
    this.s3 = new S3(this);
    this.logs = new Logs(this);
    this.cloudwatch = new CloudWatch(this);
    this.sns = new Sns(this);
    this.events = new Events(this);
    this.lambda = new Lambda(this);
    this.secretsmanager = new SecretsManager(this);
    this.ssm = new Ssm(this);
    this.ec2 = new Ec2(this);
    // AWS publishes the ids of current images as public parameters.
    for (const { imageId, parameters } of this.ec2.images.values())
      for (const name of parameters) this.ssm.setParameter(name, imageId);
    this.elbv2 = new LoadBalancing(this);
    this.autoscaling = new AutoScaling(this);
    this.route53 = new Route53(this);
    this.acm = new Acm(this);
    this.ecs = new Ecs(this);
    this.cloudformation = new CloudFormation(this);
    this.services = {
      autoscaling: this.autoscaling,
      cloudformation: this.cloudformation,
      ec2: this.ec2,
      ecs: this.ecs,
      elasticloadbalancing: this.elbv2,
      events: this.events,
      iam: this.iam,
      lambda: this.lambda,
      logs: this.logs,
      monitoring: this.cloudwatch,
      route53: this.route53,
      s3: this.s3,
      secretsmanager: this.secretsmanager,
      ssm: this.ssm,
      sts: this.sts,
    };
    const withoutOperations = [this.acm, this.kms, this.sns];
    const all: readonly ResourceService[] = [...Object.values(this.services), ...withoutOperations];
    this.resources = withModelledProperties(Object.assign({}, ...all.map(({ resources }) => resources)));
  }

  /** Carries out one API call: identity, faults, IAM, the operation itself, the journal. */
  call(service: ServiceId, operation: string, input: unknown, caller: Caller): Promise<unknown> {
    return dispatch(this, service, operation, input, caller);
  }

  /** A stand-in for an SDK client that skips the wire: `send(new XCommand(input))`. For mass simulation. */
  directClient(service: ServiceId, caller: Caller): DirectClient {
    return {
      send: async (command) => {
        const operation = command.constructor.name.replace(/Command$/, '');
        return (await this.call(service, operation, structuredClone(command.input ?? {}), caller)) as never;
      },
    };
  }
}

interface DirectClient {
  send(command: { readonly input?: unknown }): Promise<never>;
}
