import type { ISecurityGroup } from 'aws-cdk-lib/aws-ec2';
import type { ImageFamily } from '../boot/images.ts';
import type { Zone, ZoneInputs } from '../props/zone.ts';

/** The addresses of a construct, and who has access to them. */
export interface AddressProps {
  /** Route 53 hosted zone of the addresses. */
  readonly zone: Zone;

  /**
   * Address range of the VPC, which has access by default.
   *
   * Allowed: an address range, e.g. 10.0.0.0/16.
   *
   * @default none
   */
  readonly vpcCidrBlock?: string | undefined;

  /**
   * Scheme of the load balancer.
   *
   * Allowed: one of internal, internet-facing.
   *
   * @default internal
   */
  readonly loadBalancerScheme?: 'internal' | 'internet-facing' | undefined;

  /**
   * Subnets of the load balancer; public ones if it is internet-facing.
   *
   * Allowed: a list of subnet ids (subnet-…).
   *
   * @default network.subnetIds
   */
  readonly loadBalancerSubnetIds?: readonly string[] | undefined;

  /**
   * Address ranges that have access to the load balancer.
   *
   * Allowed: a list of address ranges, e.g. 10.0.0.0/16.
   *
   * @default vpcCidrBlock, if the load balancer is internal and clientSecurityGroupIds is not given
   */
  readonly allowedCidrBlocks?: readonly string[] | undefined;

  /**
   * Security groups whose members have access to the load balancer.
   *
   * Allowed: a list of ids of security groups (sg-…).
   *
   * @default none
   */
  readonly clientSecurityGroupIds?: readonly string[] | undefined;

  /**
   * Security groups of the app instead of their ids in clientSecurityGroupIds.
   *
   * @default none
   */
  readonly clientSecurityGroups?: readonly ISecurityGroup[] | undefined;

  /**
   * Own certificate of the addresses in ACM; the hosted zone may be a private one then.
   *
   * Allowed: the ARN of a certificate (arn:aws:acm:…:certificate/…).
   *
   * @default a public one of ACM, validated by records in the hosted zone
   */
  readonly certificateArn?: string | undefined;

  /**
   * Bucket for the access logs of the load balancer; its policy has to allow Elastic Load Balancing to write.
   *
   * Allowed: the name of a bucket.
   *
   * @default none
   */
  readonly accessLogsBucket?: string | undefined;
}

/** The same by ids alone. */
export type AddressInputs = Omit<AddressProps, 'zone' | 'clientSecurityGroups'> & ZoneInputs;

/** The machines of a construct. */
export interface MachineProps {
  /**
   * Processor architecture.
   *
   * Allowed: one of x86_64, arm64.
   *
   * @default x86_64
   */
  readonly architecture?: 'x86_64' | 'arm64' | undefined;

  /**
   * Machine image of the instances, made from the distribution imageFamily.
   *
   * Allowed: an image id (ami-…).
   *
   * @default current image of imageFamily by public SSM parameter
   */
  readonly amiId?: string | undefined;

  /**
   * Distribution of the image; AWS lists ubuntu-22.04 among those that hibernate.
   *
   * Allowed: one of ubuntu-24.04, ubuntu-22.04, debian-12, debian-13.
   *
   * @default ubuntu-24.04
   */
  readonly imageFamily?: ImageFamily | undefined;

  /**
   * Root device of the image; with another name an instance gets a second volume.
   *
   * Allowed: a device, e.g. /dev/xvda.
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
   * Allowed: a list of package names.
   *
   * @default none
   */
  readonly packages?: readonly string[] | undefined;

  /**
   * Package that brings Puppet, of the distribution or of a repository in extraRepos.
   *
   * Allowed: the name of a package.
   *
   * @default puppet
   */
  readonly puppetPackage?: string | undefined;

  /**
   * Path of the Hiera configuration file.
   *
   * Allowed: an absolute path.
   *
   * @default /opt/drover/puppet/hiera.yaml
   */
  readonly puppetHieraConfigPath?: string | undefined;

  /**
   * Path of the Puppet modules.
   *
   * Allowed: an absolute path.
   *
   * @default /opt/drover/puppet/modules
   */
  readonly puppetModulePath?: string | undefined;

  /**
   * Path of the manifest that Puppet applies.
   *
   * Allowed: an absolute path.
   *
   * @default /opt/drover/puppet/manifests/site.pp
   */
  readonly puppetManifest?: string | undefined;

  /**
   * Files to write before Puppet runs: path to content, or to content, permissions and owner.
   *
   * Allowed: a map of absolute paths to texts, or maps of content, permissions, owner.
   *
   * @default none
   */
  readonly extraFiles?: Readonly<Record<string, string | ExtraFile>> | undefined;

  /**
   * Package repositories: name to apt source line, or to source, key or keyid, and keyserver.
   *
   * Allowed: a map of names to texts, or maps of source, key, keyid, keyserver.
   *
   * @default none
   */
  readonly extraRepos?: Readonly<Record<string, string | ExtraRepo>> | undefined;

  /**
   * Runner-agent and cluster-cli are installed as Debian packages of this version, from a repository in extraRepos or of the image.
   *
   * Allowed: true or false.
   *
   * @default false
   */
  readonly programsFromPackages?: boolean | undefined;

  /**
   * Shell commands to run after Puppet, before the instance takes up its work; one that fails gives the launch up.
   *
   * Allowed: a list of texts.
   *
   * @default none
   */
  readonly postRuncmd?: readonly string[] | undefined;

  /**
   * Managed policies to attach to the instance role.
   *
   * Allowed: a list of ARNs of managed policies (arn:aws:iam::…:policy/…).
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
   * Allowed: a list of e-mail addresses.
   *
   * @default none
   */
  readonly alarmEmails?: readonly string[] | undefined;

  /**
   * SNS topics that receive the alarms.
   *
   * Allowed: a list of ARNs of topics (arn:aws:sns:…).
   *
   * @default none
   */
  readonly alarmTopicArns?: readonly string[] | undefined;
}
