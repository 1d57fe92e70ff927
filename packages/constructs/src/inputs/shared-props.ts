/** The addresses of a construct, and who has access to them. */
export interface AddressProps {
  /** Id of the Route 53 hosted zone of the addresses. */
  readonly zoneId: string;

  /** Domain name of the hosted zone. */
  readonly zoneName: string;

  /**
   * Address range of the VPC, which has access by default.
   *
   * @default none
   */
  readonly vpcCidrBlock?: string | undefined;

  /**
   * Scheme of the load balancer.
   *
   * @default internal
   */
  readonly loadBalancerScheme?: 'internal' | 'internet-facing' | undefined;

  /**
   * Subnets of the load balancer; public ones if it is internet-facing.
   *
   * @default subnetIds
   */
  readonly loadBalancerSubnetIds?: readonly string[] | undefined;

  /**
   * Address ranges that have access to the load balancer.
   *
   * @default vpcCidrBlock, if the load balancer is internal
   */
  readonly allowedCidrBlocks?: readonly string[] | undefined;
}

/** The machines of a construct. */
export interface MachineProps {
  /**
   * Processor architecture.
   *
   * @default x86_64
   */
  readonly architecture?: 'x86_64' | 'arm64' | undefined;

  /**
   * Machine image of the instances.
   *
   * @default Canonical's current Ubuntu 24.04 by public SSM parameter
   */
  readonly amiId?: string | undefined;
}

/** How instances are configured when they boot. */
export interface ConfigurationProps {
  /**
   * Packages to install before Puppet runs.
   *
   * @default none
   */
  readonly packages?: readonly string[] | undefined;

  /**
   * Path of the Hiera configuration file.
   *
   * @default /opt/drover/puppet/hiera.yaml
   */
  readonly puppetHieraConfigPath?: string | undefined;

  /**
   * Path of the Puppet modules.
   *
   * @default /opt/drover/puppet/modules
   */
  readonly puppetModulePath?: string | undefined;

  /**
   * Path of the manifest that Puppet applies.
   *
   * @default /opt/drover/puppet/manifests/site.pp
   */
  readonly puppetManifest?: string | undefined;

  /**
   * Files to write before Puppet runs: path to content.
   *
   * @default none
   */
  readonly extraFiles?: Readonly<Record<string, string>> | undefined;

  /**
   * Package repositories: name to apt source line.
   *
   * @default none
   */
  readonly extraRepos?: Readonly<Record<string, string>> | undefined;

  /**
   * Shell commands to run after Puppet.
   *
   * @default none
   */
  readonly postRuncmd?: readonly string[] | undefined;

  /**
   * Managed policies to attach to the instance role.
   *
   * @default none
   */
  readonly extraPolicies?: readonly string[] | undefined;
}

/** Who is notified of alarms. */
export interface AlarmProps {
  /**
   * E-mail addresses that receive the alarms.
   *
   * @default none
   */
  readonly alarmEmails?: readonly string[] | undefined;

  /**
   * SNS topics that receive the alarms.
   *
   * @default none
   */
  readonly alarmTopicArns?: readonly string[] | undefined;
}
