import type { Contradiction, NameOf } from './check-inputs.ts';
import type { AddressInputs } from './shared-props.ts';

/** Families of AWS's own processors have a `g` after the generation (EC2 user guide, "instance type naming conventions"). */
const armFamily = /^(a1|[a-z]+\d+g[a-z]*)\./;
export const isArmFamily = (type: string): boolean => armFamily.test(type);

interface Machines {
  readonly architecture: 'x86_64' | 'arm64';
  readonly instanceTypes: readonly string[];
}

/** An instance type has one processor only. */
export function wrongProcessor({ instanceTypes, architecture }: Machines, name: NameOf): Contradiction {
  const other = instanceTypes.find((type) => isArmFamily(type) !== (architecture === 'arm64'));
  if (other === undefined) return undefined;
  const right = architecture === 'arm64' ? 'x86_64' : 'arm64';
  return {
    key: name('architecture'),
    problem: `${architecture} is not what ${other} has`,
    remedy: `Set it to ${right}, or choose another instance type`,
  };
}

interface Configuration {
  readonly puppetHieraConfigPath: string;
  readonly packages: readonly string[];
}

/** A data file below /opt/<package> comes with that package. */
export function missingHieraPackage(settings: Configuration, name: NameOf): Contradiction {
  const owner = /^\/opt\/([^/]+)\//.exec(settings.puppetHieraConfigPath)?.[1];
  if (owner === undefined || owner === 'drover' || settings.packages.includes(owner)) return undefined;
  return {
    key: name('packages'),
    problem: `${name('puppet_hiera_config_path')} ${settings.puppetHieraConfigPath} belongs to the package ${owner}, which is not in it`,
    remedy: `Add ${owner}`,
  };
}

/** ACM refuses a longer first name of a certificate, long after the deployment has begun (API reference, RequestCertificate). */
const longestFirstName = 64;

/** The certificate's first name is the shortest address; one in a zone that is known only at deployment cannot be checked. */
export function longCertificateName(
  host: string,
  { zoneName, certificateArn }: Pick<AddressInputs, 'zoneName' | 'certificateArn'>,
  name: NameOf,
): Contradiction {
  const full = `${host}.${zoneName}`;
  const checked = certificateArn === undefined && !zoneName.includes('${Token[');
  if (!checked || full.length <= longestFirstName) return undefined;
  return {
    key: name('zone_name'),
    problem: `the address ${full} has ${full.length} characters, and a certificate may have ${longestFirstName}`,
    remedy: `Choose a shorter name or zone, or give ${name('certificate_arn')}`,
  };
}

type Reach = Partial<AddressInputs> & { readonly subnetIds: readonly string[] };

/**
 * Access to a load balancer is given explicitly, or follows from the VPC; nothing is opened to the world by leaving
 * something out.
 */
export function unclearReach(inputs: Reach, name: NameOf): Contradiction[] {
  const isPublic = inputs.loadBalancerScheme === 'internet-facing';
  return [unclearAccess(inputs, isPublic, name), noPublicSubnets(inputs, isPublic, name), tooFewSubnets(inputs, name)];
}

function unclearAccess(inputs: Reach, isPublic: boolean, name: NameOf): Contradiction {
  const said = [...(inputs.allowedCidrBlocks ?? []), ...(inputs.clientSecurityGroupIds ?? [])];
  if (said.length > 0 || (!isPublic && inputs.vpcCidrBlock !== undefined)) return undefined;
  return {
    key: name('allowed_cidr_blocks'),
    problem: isPublic ? 'it is missing, and the load balancer is internet-facing' : 'it is missing',
    remedy: isPublic
      ? 'Say who may reach it'
      : `Say who may use the addresses, or give ${name('vpc_cidr_block')}, which is the default`,
  };
}

function noPublicSubnets({ loadBalancerSubnetIds = [] }: Reach, isPublic: boolean, name: NameOf): Contradiction {
  if (!isPublic || loadBalancerSubnetIds.length > 0) return undefined;
  return {
    key: name('load_balancer_subnet_ids'),
    problem: 'it is missing, and the load balancer is internet-facing',
    remedy: 'Give public subnets of at least two zones',
  };
}

/** An application load balancer needs two zones (Elastic Load Balancing user guide, "Application Load Balancers", subnets). */
function tooFewSubnets({ loadBalancerSubnetIds = [], subnetIds }: Reach, name: NameOf): Contradiction {
  const own = loadBalancerSubnetIds.length > 0;
  if ((own ? loadBalancerSubnetIds : subnetIds).length >= 2) return undefined;
  return {
    key: name(own ? 'load_balancer_subnet_ids' : 'subnet_ids'),
    problem: 'one subnet is not enough for a load balancer',
    remedy: 'Give subnets of at least two zones',
  };
}
