import { type ISecurityGroup, type IVpc, type SubnetSelection, SubnetType } from 'aws-cdk-lib/aws-ec2';
import type { IHostedZone } from 'aws-cdk-lib/aws-route53';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';

/** Resources of the app in place of their ids. An id that is given too takes precedence. */
interface NetworkResources {
  /** The VPC, in place of `vpcId`, `subnetIds` and `vpcCidrBlock`. */
  readonly vpc?: IVpc | undefined;

  /**
   * Subnets of `vpc`, in place of `subnetIds`.
   *
   * @default the private subnets with NAT
   */
  readonly vpcSubnets?: SubnetSelection | undefined;
}

interface AddressResources extends NetworkResources {
  /** The hosted zone of the addresses, in place of `zoneId` and `zoneName`. */
  readonly hostedZone?: IHostedZone | undefined;

  /** Security groups whose members have access to the load balancer, in place of `clientSecurityGroupIds`. */
  readonly clientSecurityGroups?: readonly ISecurityGroup[] | undefined;
}

/** Resources in place of ids in the props of `RunnerFleet`. */
export interface RunnerFleetResources extends NetworkResources {
  /** Secret with a personal access token that has the scope admin:org, in place of `platformTokenSecretArn`. */
  readonly platformTokenSecret?: ISecret | undefined;

  /** Secret with the private key of the GitHub App (PEM), in place of `platformAppPemSecretArn`. */
  readonly platformAppPemSecret?: ISecret | undefined;

  /** Security groups of runners and functions in addition to their own, in place of `extraSecurityGroupIds`. */
  readonly extraSecurityGroups?: readonly ISecurityGroup[] | undefined;
}

/** Resources in place of ids in the props of `SearchCluster`. */
export interface SearchClusterResources extends AddressResources {}

/** Resources in place of ids in the props of `SearchUi`. */
export interface SearchUiResources extends AddressResources {
  /** Secret with the password of kibana_system, in place of `kibanaSystemSecretId`. */
  readonly kibanaSystemSecret?: ISecret | undefined;

  /** Secret with a token of the service account elastic/kibana, in place of `kibanaTokenSecretId`. */
  readonly kibanaTokenSecret?: ISecret | undefined;

  /** Security groups of the tasks beside their own, in place of `taskSecurityGroupIds`. */
  readonly taskSecurityGroups?: readonly ISecurityGroup[] | undefined;
}

/** The props that a resource may stand for. */
type Replaceable = 'vpcId' | 'subnetIds' | 'zoneId' | 'zoneName' | 'kibanaSystemSecretId';

/** Props in which ids may be left out where a resource stands for them. */
export type OrResources<Props, Resources> = Omit<Props, Replaceable> &
  Partial<Pick<Props, Replaceable & keyof Props>> &
  Resources;

type Every = RunnerFleetResources & SearchUiResources;

const groupIds = (groups: readonly ISecurityGroup[]) => groups.map(({ securityGroupId }) => securityGroupId);

/** The ids that each resource stands for. */
const ids: { readonly [Name in keyof Every]-?: (given: NonNullable<Every[Name]>, all: Every) => object } = {
  vpc: (vpc, { vpcSubnets }) => ({
    vpcId: vpc.vpcId,
    subnetIds: vpc.selectSubnets(vpcSubnets ?? { subnetType: SubnetType.PRIVATE_WITH_EGRESS }).subnetIds,
  }),
  vpcSubnets: () => ({}),
  hostedZone: ({ hostedZoneId, zoneName }) => ({ zoneId: hostedZoneId, zoneName }),
  clientSecurityGroups: (groups) => ({ clientSecurityGroupIds: groupIds(groups) }),
  platformTokenSecret: ({ secretArn }) => ({ platformTokenSecretArn: secretArn }),
  platformAppPemSecret: ({ secretArn }) => ({ platformAppPemSecretArn: secretArn }),
  extraSecurityGroups: (groups) => ({ extraSecurityGroupIds: groupIds(groups) }),
  kibanaSystemSecret: ({ secretArn }) => ({ kibanaSystemSecretId: secretArn }),
  kibanaTokenSecret: ({ secretArn }) => ({ kibanaTokenSecretId: secretArn }),
  taskSecurityGroups: (groups) => ({ taskSecurityGroupIds: groupIds(groups) }),
};

/** The functions of a fleet reach the internet through NAT only. */
export const fleetNetwork = (vpc: IVpc) => ({
  lambdaSubnetIds: vpc.selectSubnets({ subnetType: SubnetType.PRIVATE_WITH_EGRESS }).subnetIds,
});

export const addressNetwork = (vpc: IVpc) => ({ vpcCidrBlock: vpc.vpcCidrBlock });

/** The props by ids alone; props without a resource are returned as they are. */
export function withIds<Props extends object>(
  props: OrResources<Props, object>,
  network: (vpc: IVpc) => object,
): Props {
  const given = Object.entries(props).filter(([, value]) => value !== undefined);
  const resources = given.filter(([name]) => Object.hasOwn(ids, name));
  // The checks of the inputs find what is missing without them.
  if (resources.length === 0) return props as object as Props;
  const { vpc } = props as Every;
  const found = resources.map(([name, value]) => ids[name as keyof Every](value as never, props as Every));
  const byId = Object.fromEntries(given.filter(([name]) => !Object.hasOwn(ids, name)));
  return Object.assign({}, vpc === undefined ? {} : network(vpc), ...found, byId) as Props;
}
