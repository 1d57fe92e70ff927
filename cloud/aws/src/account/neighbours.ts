/**
 * The requests that services of the embedded cloud may make of each other. Each service's class implements its
 * interface here. Services are given `AwsNeighbours`, so nothing else of a service can be used by another service.
 */
import type { Engine, HttpRequest, HttpResponse, Origin } from '@drover/cloud-engine';
import type { ArnScope } from './arn.ts';
import type {
  AwsService,
  Caller,
  Credentials,
  Permission,
  Principal,
  ResourceProviders,
  ServiceId,
} from './service.ts';

/** The account as its services see it: facts, the engine, and the narrow interface of every other service. */
export interface AwsNeighbours extends ArnScope {
  readonly engine: Engine;
  /** Availability zones of the region. */
  readonly zones: readonly string[];
  readonly machines: MachinePower;
  readonly acm: AcmNeighbour;
  readonly autoscaling: AutoScalingNeighbour;
  readonly cloudwatch: CloudWatchNeighbour;
  readonly ec2: Ec2Neighbour;
  readonly ecs: EcsNeighbour;
  readonly elbv2: LoadBalancingNeighbour;
  readonly events: EventsNeighbour;
  readonly iam: IamNeighbour;
  readonly kms: KmsNeighbour;
  readonly lambda: LambdaNeighbour;
  readonly logs: LogsNeighbour;
  readonly route53: Route53Neighbour;
  readonly s3: S3Neighbour;
  readonly secretsmanager: SecretsManagerNeighbour;
  readonly sns: SnsNeighbour;
  readonly ssm: SsmNeighbour;
  /** Services whose API can be called, by signing name. */
  readonly services: Readonly<Record<ServiceId, AwsService>>;
  /** The providers of all resource types, for CloudFormation. */
  readonly resources: ResourceProviders;
  /** Makes one API call, with all checks. */
  call(service: ServiceId, operation: string, input: unknown, caller: Caller): Promise<unknown>;
}

export type Tags = Readonly<Record<string, string>>;

// ---- IAM and STS -------------------------------------------------------------------------------------------------

export interface IamNeighbour {
  /** Root credentials of the account, for operators and deployments. */
  readonly rootCredentials: Credentials;
  /** Throws `InvalidClientTokenId`, `ExpiredToken` … as AWS does; `service` picks the error code. */
  principalFor(accessKeyId: string, sessionToken: string | undefined, service?: string): Principal;
  /** Throws AccessDenied with AWS's wording when the permission is missing or denied. `service` picks the error code. */
  authorize(principal: Principal, permission: Permission, service: string): void;
  /** Temporary credentials of a role for a service, checking its trust policy (`lambda.amazonaws.com`, `ec2.amazonaws.com`, …). */
  assumeRoleForService(
    roleArn: string,
    service: string,
    sessionName: string,
    options?: { sourceInstanceArn?: string; sourceArn?: string },
  ): Credentials;
  roleOfInstanceProfile(profileArnOrName: string): string | undefined;
  /** For STS: a session of a role for a caller whom IAM has let through. */
  assumeRole(caller: Principal, request: AssumeRoleRequest): { credentials: Credentials; principal: Principal };
  /**
   * Where the policies of a service's resources are found (bucket policy, function permission, key policy, …), by the
   * prefix of its actions. With `gatekeeper` (KMS keys) the resource's policy must open the door: identities count only
   * as far as it names the account. Hand over a new document when it changes.
   */
  registerResourcePolicies(
    actionPrefix: string,
    lookup: (resourceArn: string) => { document: string | object; gatekeeper?: boolean } | undefined,
  ): void;
  /**
   * Whether the resource's own policy lets an AWS service in (`events.amazonaws.com` invoking a function, publishing to a
   * topic, …). Give `aws:SourceArn` and `aws:SourceAccount` in the permission's context.
   */
  serviceMay(servicePrincipal: string, permission: Permission): boolean;
}

export interface AssumeRoleRequest {
  readonly roleArn: string;
  readonly sessionName: string;
  readonly durationSeconds?: number;
  readonly tags?: Tags;
  /** A session policy: JSON text. */
  readonly policy?: string;
}

// ---- EC2 and machines --------------------------------------------------------------------------------------------

export type InstanceStateName = 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';

export interface Ec2Instance {
  readonly id: string;
  readonly arn: string;
  readonly imageId: string;
  readonly instanceType: string;
  readonly availabilityZone: string;
  readonly subnetId: string;
  readonly privateIp: string;
  readonly privateDnsName: string;
  readonly securityGroupIds: readonly string[];
  readonly launchedAt: number;
  readonly spot: boolean;
  /** Decoded text. */
  readonly userData: string;
  readonly instanceProfileArn?: string;
  readonly launchTemplate?: { readonly id: string; readonly name: string; readonly version: string };
  /** HibernationOptions.Configured */
  readonly hibernationConfigured: boolean;
  readonly metadataOptions: {
    readonly tokensRequired: boolean;
    readonly hopLimit: number;
    readonly tagsEnabled: boolean;
  };
  state: InstanceStateName;
  stateReason?: string;
  readonly stateChangedAt: number;
  /** Memory is on disk: the next start resumes instead of booting. */
  readonly hibernated: boolean;
  /** Status checks fail, since `impairedAt`. */
  readonly impaired: boolean;
  readonly impairedAt: number;
  readonly rebalanceRecommendedAt?: number;
  tags: Record<string, string>;
}

/** A launch template's version, as far as others need to know it. */
export interface LaunchTemplateView {
  readonly id: string;
  readonly name: string;
  readonly versionNumber: string;
  /** It asks for spot instances. */
  readonly spot: boolean;
}

export interface LaunchRequest {
  readonly launchTemplate: { readonly id?: string; readonly name?: string; readonly version: string };
  readonly subnetId: string;
  /** Overrides of a mixed-instances policy. */
  readonly instanceType?: string;
  readonly spot?: boolean;
  readonly tags: Tags;
}

/** How an instance is bought. */
export type Market = 'on-demand' | 'spot';

/** InstanceRequirements, as far as they are modelled: what an instance type has to have, instead of its name. */
export interface InstanceTypeRequirements {
  readonly VCpuCount: RequiredRange | undefined;
  readonly MemoryMiB: RequiredRange | undefined;
  readonly InstanceGenerations?: readonly string[] | undefined;
  readonly ExcludedInstanceTypes?: readonly string[] | undefined;
  readonly AllowedInstanceTypes?: readonly string[] | undefined;
  readonly BurstablePerformance?: string | undefined;
  readonly SpotMaxPricePercentageOverLowestPrice?: number | undefined;
  readonly OnDemandMaxPricePercentageOverLowestPrice?: number | undefined;
}

interface RequiredRange {
  readonly Min?: number | undefined;
  readonly Max?: number | undefined;
}

/** The origin of a connection. */
export interface ConnectionSource {
  readonly address?: string;
  readonly securityGroupIds?: readonly string[];
}

export interface Ec2Neighbour {
  readonly instances: ReadonlyMap<string, Ec2Instance>;
  /** Validates and launches; the instance is `pending`, then `running` and its machine boots. */
  launch(request: LaunchRequest): Ec2Instance;
  terminate(instanceId: string, reason: string): void;
  /** With `hibernate`, memory is kept: processes go on where they were when it starts again. */
  stop(instanceId: string, options: { hibernate: boolean }): void;
  start(instanceId: string): void;
  /** Version number for `$Latest`, `$Default` or a number. */
  resolveLaunchTemplateVersion(idOrName: string, version: string): string;
  /** Throws as EC2 does when the template, its version or its image does not exist. */
  launchTemplate(
    reference: { id?: string | undefined; name?: string | undefined },
    version: string,
  ): LaunchTemplateView;
  /** Names of the types that meet the requirements and run the template's image, the cheapest first. */
  instanceTypesFor(
    launchTemplate: { readonly id: string; readonly version: string },
    requirements: InstanceTypeRequirements,
    market: Market,
  ): readonly string[];
  zoneOfSubnet(subnetId: string): string;
  /** The default VPC's subnets of these zones. */
  defaultSubnets(zones: readonly string[]): readonly string[];
  /** The two minutes' notice of a spot instance. */
  onSpotNotice(listener: (instance: Ec2Instance, atMs: number) => void): void;
  onRebalanceRecommendation(listener: (instance: Ec2Instance) => void): void;
  onImpaired(listener: (instance: Ec2Instance, impaired: boolean) => void): void;
  onInstanceState(listener: (instance: Ec2Instance, from: InstanceStateName | undefined) => void): void;
  /** The machine's system stopped responding (or responds again): status checks and health checks follow. */
  setImpaired(instanceId: string, impaired: boolean): void;
  /** Takes a spot instance away with two minutes' notice. */
  reclaimSpot(instanceId: string): void;
  recommendRebalance(instanceId: string): void;
  /** Whether packets from the subnet reach the internet: through NAT, or with a public address through a gateway. */
  hasInternetRoute(subnetId: string, options?: { publicAddress?: boolean }): boolean;
  takeAddress(subnetId: string): string;
  /** Gives an address of a subnet back; nothing happens when the subnet is gone. */
  releaseAddress(subnetId: string, address: string): void;
  vpcOfSubnet(subnetId: string): string | undefined;
  /** Throws `InvalidGroup.NotFound` as EC2 does. */
  requireSecurityGroup(groupId: string): void;
  /** Interfaces that Lambda has still to delete keep these groups from being deleted until then. */
  holdSecurityGroups(groupIds: readonly string[], untilMs: number): void;
  /** Whether an interface in these security groups accepts a TCP connection. */
  admits(securityGroupIds: readonly string[], port: number, source: ConnectionSource): boolean;
  /** The instance that has this private address and runs. */
  runningAt(privateIp: string): Ec2Instance | undefined;
  isImage(imageId: string): boolean;
  /** The image that a public parameter (`/aws/service/ami-…`) names. */
  publicImageParameter(name: string): string | undefined;
}

/** The power switch of machines: given to EC2 by the world. */
export interface MachinePower {
  powerOn(instance: Ec2Instance): void;
  /** Freezes every process. Calls back with whether memory was saved; `false` means that the machine keeps running. */
  hibernate(instance: Ec2Instance, done: (hibernated: boolean) => void): void;
  resume(instance: Ec2Instance): void;
  powerOff(instance: Ec2Instance): void;
  /** The files of its disk as they are now. */
  diskOf(instance: Ec2Instance): ReadonlyMap<string, string>;
  /** Two minutes' notice in the instance's metadata. */
  spotNotice(instance: Ec2Instance, atMs: number): void;
}

// ---- Auto Scaling ------------------------------------------------------------------------------------------------

export interface AutoScalingNeighbour {
  /** An alarm's scaling action. `breach` is the metric value minus threshold context of step scaling. */
  executePolicyFromAlarm(policyArn: string, alarm: { name: string; metricValue: number; threshold: number }): void;
  /** A load balancer found the target healthy or not: counts in groups with health check type `ELB`. */
  reportTargetHealth(instanceId: string, healthy: boolean): void;
  /** For the metadata service: where the instance is going (`autoscaling/target-lifecycle-state`). */
  targetLifecycleState(instanceId: string): string | undefined;
}

// ---- Events, functions, messages -----------------------------------------------------------------------------------

export interface EventsNeighbour {
  /** An event of an AWS service on the default bus; delivered at least once by the rules that match. */
  emit(event: {
    source: string;
    detailType: string;
    detail: Readonly<Record<string, unknown>>;
    resources?: readonly string[];
  }): void;
}

export interface LambdaNeighbour {
  /** Queues an asynchronous invocation: retried twice with back-off, throttles retried up to six hours. `lineage` counts hops for loop detection. */
  invokeAsync(
    functionArn: string,
    payload: unknown,
    origin: { principal: string; sourceArn?: string; lineage?: readonly string[] },
  ): void;
}

export interface SnsNeighbour {
  /** Publishes on behalf of a service, which the topic's policy and its key must allow. */
  publishAs(service: string, topicArn: string, subject: string, message: string, sourceArn: string): void;
}

// ---- Observation -----------------------------------------------------------------------------------------------------

export interface CloudWatchNeighbour {
  putMetric(namespace: string, name: string, dimensions: Tags, value: number, unit?: string): void;
}

export interface LogsNeighbour {
  append(logGroup: string, logStream: string, message: string): void;
  exists(logGroup: string): boolean;
}

// ---- Keys, secrets, storage, remote commands -------------------------------------------------------------------------------

export interface KmsNeighbour {
  /** The ARN behind an id or ARN; undefined for keys that AWS manages itself, and unknown ones. */
  arnOf(idOrArn: string): string | undefined;
}

export interface SecretsManagerNeighbour {
  /** For dynamic references: the value of a secret, or of one JSON key of it. */
  resolve(secretId: string, options: { jsonKey?: string; versionStage?: string; versionId?: string }): string;
}

export interface S3Neighbour {
  getObject(bucket: string, key: string): Uint8Array | undefined;
  putObject(bucket: string, key: string, body: Uint8Array): void;
  /** Does nothing when the bucket exists. */
  createBucket(bucket: string): void;
  /** A bucket of another account that takes objects from here: never listed. */
  createForeignBucket(bucket: string): void;
  /** Calls `listener` for every object that is written. */
  onObjectPut(listener: (bucket: string, key: string, body: Uint8Array) => void): void;
  /** The bucket's policy document as text, for IAM. */
  bucketPolicy(bucket: string): string | undefined;
}

/** A remote-command agent on an instance. */
export interface RemoteAgent {
  /** Runs a shell document's commands on the instance. Never settles when the machine dies. */
  run(
    commands: readonly string[],
    timeoutSeconds: number,
  ): Promise<{ exitCode: number; stdout: string; stderr: string }>;
  /** False once the agent has died: a command then stays Pending until it times out. */
  alive(): boolean;
}

export interface SsmNeighbour {
  registerAgent(instanceId: string, agent: RemoteAgent): void;
  unregisterAgent(instanceId: string): void;
  /** `{{resolve:ssm:name}}` and `AWS::SSM::Parameter::Value` types. */
  parameter(name: string): string | undefined;
  setParameter(name: string, value: string): void;
}

// ---- Load balancing (registered by groups) -----------------------------------------------------------------------------

export interface LoadBalancingNeighbour {
  hasTargetGroup(targetGroupArn: string): boolean;
  registerTarget(targetGroupArn: string, targetId: string, port?: number): void;
  deregisterTarget(targetGroupArn: string, targetId: string, port?: number): void;
  isHealthy(targetGroupArn: string, targetId: string): boolean;
  isUnhealthy(targetGroupArn: string, targetId: string): boolean;
  /** A request to the load balancer of this DNS name. */
  handle(dnsName: string, request: HttpRequest, origin: Origin): Promise<HttpResponse>;
}

export interface AcmNeighbour {
  isIssued(certificateArn: string): boolean;
}

export interface Route53Neighbour {
  /** The load balancer's DNS name that an alias record of a name points to. */
  aliasOf(name: string): string | undefined;
  /** The name of a hosted zone, with its final dot; throws as Route 53 does when there is none. */
  zoneName(zoneId: string): string;
}

export interface EcsNeighbour {
  /** The task that has this private address. */
  taskAt(address: string): { readonly securityGroupIds: readonly string[] } | undefined;
}
