import type { ImageFamily } from '../boot/images.ts';

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
   * @default vpcCidrBlock, if the load balancer is internal and clientSecurityGroupIds is not given
   */
  readonly allowedCidrBlocks?: readonly string[] | undefined;

  /**
   * Security groups whose members have access to the load balancer.
   *
   * @default none
   */
  readonly clientSecurityGroupIds?: readonly string[] | undefined;

  /**
   * Own certificate of the addresses in ACM; the hosted zone may be a private one then.
   *
   * @default a public one of ACM, validated by records in the hosted zone
   */
  readonly certificateArn?: string | undefined;

  /**
   * Bucket for the access logs of the load balancer; its policy has to allow Elastic Load Balancing to write.
   *
   * @default none
   */
  readonly accessLogsBucket?: string | undefined;
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
   * Machine image of the instances, made from the distribution imageFamily.
   *
   * @default current image of imageFamily by public SSM parameter
   */
  readonly amiId?: string | undefined;

  /**
   * Distribution of the image; AWS lists ubuntu-22.04 among those that hibernate.
   *
   * @default ubuntu-24.04
   */
  readonly imageFamily?: ImageFamily | undefined;

  /**
   * Root device of the image; with another name an instance gets a second volume.
   *
   * @default that of imageFamily: /dev/sda1 for Ubuntu, /dev/xvda for Debian
   */
  readonly rootDeviceName?: string | undefined;
}

/** A file of the input `extra_files`, with more than its content. */
export interface ExtraFile {
  readonly content: string;

  /** As an octal text, e.g. `'0600'`; 0644 unless it is given. */
  readonly permissions?: string | undefined;

  /** `user` or `user:group`; root:root unless it is given. The image or a package has to bring the user. */
  readonly owner?: string | undefined;
}

/** A package repository of the input `extra_repos`, with the key that signs it. */
export interface ExtraRepo {
  /** The apt source line; `[signed-by=$KEY_FILE]` in it trusts the key for this repository only. */
  readonly source: string;

  /** The public key, as armored text. */
  readonly key?: string | undefined;

  /** Fingerprint or id of a public key that is fetched from a key server, instead of `key`. */
  readonly keyid?: string | undefined;

  /** The server from which `keyid` is fetched; keyserver.ubuntu.com unless it is given. */
  readonly keyserver?: string | undefined;
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
   * Files to write before Puppet runs: path to content, or to content, permissions and owner.
   *
   * @default none
   */
  readonly extraFiles?: Readonly<Record<string, string | ExtraFile>> | undefined;

  /**
   * Package repositories: name to apt source line, or to source, key or keyid, and keyserver.
   *
   * @default none
   */
  readonly extraRepos?: Readonly<Record<string, string | ExtraRepo>> | undefined;

  /**
   * Runner-agent and cluster-cli are installed as Debian packages of this version, from a repository in extraRepos or of the image.
   *
   * @default false
   */
  readonly programsFromPackages?: boolean | undefined;

  /**
   * Shell commands to run after Puppet, before the instance takes up its work; one that fails gives the launch up.
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

/** The recipients of alarms. */
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
