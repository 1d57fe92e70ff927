import type { ISecurityGroup, IVpc, SubnetSelection, SubnetType } from 'aws-cdk-lib/aws-ec2';

/** `SubnetType.PRIVATE_WITH_EGRESS`: to check a file, nothing of CDK is loaded. */
export const privateWithEgress = 'Private' as SubnetType.PRIVATE_WITH_EGRESS;

/** Ids of a VPC and of subnets in it. */
export interface NetworkIds {
  /** Id of the VPC that the subnets belong to. Allowed: a VPC id (vpc-…). */
  readonly vpcId: string;

  /** Subnets of the instances or tasks. Allowed: a list of subnet ids (subnet-…) with at least 1. */
  readonly subnetIds: readonly string[];
}

/**
 * The VPC and the subnets in which instances or tasks run.
 *
 * @example
 * ```ts
 * Network.fromIds({ vpcId: 'vpc-0a1b2c3d4e5f60718', subnetIds: ['subnet-0a1b2c3d4e5f60711', 'subnet-0a1b2c3d4e5f60712'] });
 * ```
 */
export class Network {
  /** Id of the VPC. */
  readonly vpcId: string;
  /** Ids of the subnets. */
  readonly subnetIds: readonly string[];
  /** The VPC, if it was given as a resource of the app. */
  readonly vpc: IVpc | undefined;

  /**
   * A VPC of the app. Its private subnets with NAT are used unless others are selected; the functions of a fleet use those if there are any, unless `lambdaSubnetIds` says otherwise.
   *
   * @param vpc - the VPC
   * @param subnets - subnets of the instances or tasks
   */
  static fromVpc(vpc: IVpc, subnets: SubnetSelection = { subnetType: privateWithEgress }): Network {
    return new Network({ vpcId: vpc.vpcId, subnetIds: vpc.selectSubnets(subnets).subnetIds }, vpc);
  }

  /** A VPC and subnets that are known by their ids. */
  static fromIds(ids: NetworkIds): Network {
    return new Network(ids, undefined);
  }

  private constructor({ vpcId, subnetIds }: NetworkIds, vpc: IVpc | undefined) {
    this.vpcId = vpcId;
    this.subnetIds = subnetIds;
    this.vpc = vpc;
  }
}

/** Names of the inputs that a network stands for, in messages about props. */
export const networkNames = { vpc_id: 'network.vpcId', subnet_ids: 'network.subnetIds' } as const;

/** The inputs that a network stands for. */
export const networkInputs = (network: Network | undefined): Partial<NetworkIds> => ({
  vpcId: network?.vpcId,
  subnetIds: network?.subnetIds,
});

export const groupIds = (groups: readonly ISecurityGroup[] | undefined): readonly string[] | undefined =>
  groups?.map(({ securityGroupId }) => securityGroupId);
