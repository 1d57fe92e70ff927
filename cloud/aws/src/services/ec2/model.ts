import type { Ec2Instance } from '../../account/neighbours.ts';
import type { Image } from './catalog.ts';

/** Anything of EC2 that carries tags. */
export interface TaggedResource {
  readonly id: string;
  readonly arn: string;
  /** As in DescribeTags, e.g. `instance` or `launch-template`. */
  readonly resourceType: string;
  tags: Record<string, string>;
}

/** An instance with what only EC2 itself needs to know. */
export interface Instance extends Ec2Instance, TaggedResource {
  readonly resourceType: 'instance';
  readonly vpcId: string;
  readonly securityGroupIds: readonly string[];
  readonly keyName?: string;
  readonly architecture: string;
  readonly launchIndex: number;
  readonly monitoring: boolean;
  readonly rootDeviceName: string;
  /** Whether it is stopped or terminated when its system powers off. */
  readonly shutdownBehavior: 'stop' | 'terminate';
  /** Memory is on disk: the next start resumes instead of booting. */
  hibernated: boolean;
  launchedAt: number;
  runningSince: number | undefined;
  /** The operating system does not respond: status checks fail. */
  impaired: boolean;
  impairedAt: number;
  /** Since when EC2 recommends to replace it: a spot instance that may be taken away soon. */
  rebalanceRecommendedAt?: number;
  terminatedAt: number | undefined;
  /** Counts state changes, so that a late timer knows that it is late. */
  stateEpoch: number;
  stateChangedAt: number;
  stateReasonCode: string | undefined;
}

/** Size and performance of a volume. */
export interface VolumeShape {
  readonly sizeGiB: number;
  readonly type: string;
  readonly iops: number;
  /** MiB/s. */
  readonly throughput: number;
}

/** The latest modification of a volume. */
export interface VolumeModification {
  state: 'modifying' | 'optimizing' | 'completed';
  /** Percent. */
  progress: number;
  readonly original: VolumeShape;
  readonly target: VolumeShape;
  readonly startedAt: number;
  endedAt: number | undefined;
}

/** An EBS volume. */
export interface Volume extends TaggedResource {
  readonly resourceType: 'volume';
  readonly zone: string;
  readonly createdAt: number;
  readonly encrypted: boolean;
  /** In force: that of a modification from its state `optimizing` on. */
  shape: VolumeShape;
  attachment:
    | { readonly instanceId: string; readonly device: string; readonly deleteOnTermination: boolean }
    | undefined;
  modification: VolumeModification | undefined;
  /** When it was modified within the last day. */
  readonly modifiedAt: number[];
}

/** A snapshot of a volume, made with an image. */
export interface Snapshot extends TaggedResource {
  readonly resourceType: 'snapshot';
  readonly device: string;
  readonly volumeId: string;
  readonly sizeGiB: number;
  readonly encrypted: boolean;
  readonly startedAt: number;
  readonly description: string;
  state: 'pending' | 'completed';
}

/** An image that was made of an instance of the account. */
export interface OwnImage extends Image, TaggedResource {
  readonly resourceType: 'image';
  readonly description: string;
  readonly createdAt: number;
  readonly sourceInstanceId: string;
  readonly snapshots: readonly Snapshot[];
  /** Files of the instance's disk when the image was made. */
  readonly disk: ReadonlyMap<string, string>;
  state: 'pending' | 'available';
}

/** The members of RequestLaunchTemplateData that are modelled. */
export interface LaunchTemplateData {
  readonly ImageId?: string;
  readonly InstanceType?: string;
  readonly KeyName?: string;
  readonly UserData?: string;
  readonly EbsOptimized?: boolean;
  readonly DisableApiTermination?: boolean;
  readonly InstanceInitiatedShutdownBehavior?: string;
  readonly IamInstanceProfile?: { readonly Arn?: string; readonly Name?: string };
  readonly HibernationOptions?: { readonly Configured?: boolean };
  readonly MetadataOptions?: {
    readonly HttpTokens?: string;
    readonly HttpEndpoint?: string;
    readonly HttpPutResponseHopLimit?: number;
    readonly InstanceMetadataTags?: string;
  };
  readonly Monitoring?: { readonly Enabled?: boolean };
  readonly SecurityGroupIds?: readonly string[];
  readonly SecurityGroups?: readonly string[];
  readonly NetworkInterfaces?: readonly {
    readonly DeviceIndex?: number;
    readonly AssociatePublicIpAddress?: boolean;
    readonly DeleteOnTermination?: boolean;
    readonly Groups?: readonly string[];
  }[];
  readonly BlockDeviceMappings?: readonly {
    readonly DeviceName?: string;
    readonly Ebs?: {
      readonly Encrypted?: boolean;
      readonly VolumeSize?: number;
      readonly VolumeType?: string;
      readonly DeleteOnTermination?: boolean;
      readonly KmsKeyId?: string;
      readonly Iops?: number;
      readonly Throughput?: number;
    };
  }[];
  readonly InstanceMarketOptions?: { readonly MarketType?: string; readonly SpotOptions?: unknown };
  readonly TagSpecifications?: readonly TagSpecification[];
  readonly CreditSpecification?: { readonly CpuCredits?: string };
  readonly PrivateDnsNameOptions?: unknown;
}

export interface Tag {
  readonly Key?: string;
  readonly Value?: string;
}

export interface TagSpecification {
  readonly ResourceType?: string;
  readonly Tags?: readonly Tag[];
}

export interface LaunchTemplateVersion {
  readonly number: number;
  readonly createdAt: number;
  readonly createdBy: string;
  readonly description: string | undefined;
  readonly data: LaunchTemplateData;
}

export interface LaunchTemplate extends TaggedResource {
  readonly name: string;
  readonly createdAt: number;
  readonly createdBy: string;
  defaultVersion: number;
  /** By number; deleted versions leave gaps, numbers are never used again. */
  readonly versions: Map<number, LaunchTemplateVersion>;
  latestVersion: number;
}

export interface Vpc extends TaggedResource {
  readonly cidr: string;
  readonly isDefault: boolean;
  enableDnsSupport: boolean;
  enableDnsHostnames: boolean;
}

export interface Subnet extends TaggedResource {
  readonly vpcId: string;
  readonly cidr: string;
  readonly zone: string;
  readonly isDefault: boolean;
  mapPublicIpOnLaunch: boolean;
  /** How many addresses were ever handed out, and those that came back. */
  addressesUsed: number;
  readonly freeAddresses: string[];
}

export interface SecurityGroupRule {
  readonly id: string;
  readonly egress: boolean;
  readonly protocol: string;
  readonly fromPort: number | undefined;
  readonly toPort: number | undefined;
  readonly cidr: string | undefined;
  readonly cidrV6: string | undefined;
  readonly groupId: string | undefined;
  readonly prefixListId: string | undefined;
  readonly description: string | undefined;
}

export interface SecurityGroup extends TaggedResource {
  readonly name: string;
  readonly description: string;
  readonly vpcId: string;
  readonly rules: Map<string, SecurityGroupRule>;
}

export interface Route {
  readonly destination: string;
  /** `local`, `igw-…`, `nat-…` or another gateway's id. */
  readonly target: string;
}

export interface RouteTable extends TaggedResource {
  readonly vpcId: string;
  readonly main: boolean;
  /** By destination. */
  readonly routes: Map<string, Route>;
}

export interface RouteTableAssociation {
  readonly id: string;
  readonly routeTableId: string;
  readonly subnetId: string;
}

export interface InternetGateway extends TaggedResource {
  vpcId: string | undefined;
}

export interface NatGateway extends TaggedResource {
  readonly subnetId: string;
  readonly vpcId: string;
  readonly connectivity: 'public' | 'private';
  readonly allocationId: string | undefined;
  readonly createdAt: number;
}

export interface ElasticIp extends TaggedResource {
  readonly publicIp: string;
}

export interface VpcEndpoint extends TaggedResource {
  readonly vpcId: string;
  readonly serviceName: string;
  readonly endpointType: string;
  readonly subnetIds: readonly string[];
  routeTableIds: readonly string[];
  readonly createdAt: number;
}

/** `[{Key, Value}]` as a record. */
export const tagRecord = (tags: readonly Tag[] | undefined): Record<string, string> =>
  Object.fromEntries((tags ?? []).map((tag) => [tag.Key ?? '', tag.Value ?? '']));

/** A record as `[{Key, Value}]`. */
export const tagList = (tags: Readonly<Record<string, string>>): { Key: string; Value: string }[] =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

/** The tags that a TagSpecifications list has for one type of resource. */
export const tagsFor = (
  specifications: readonly TagSpecification[] | undefined,
  resourceType: string,
): Record<string, string> =>
  Object.assign(
    {},
    ...(specifications ?? []).filter((s) => s.ResourceType === resourceType).map((s) => tagRecord(s.Tags)),
  );
