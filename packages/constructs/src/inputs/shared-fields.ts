import { defaultImageFamily, imageFamilies } from '../boot/images.ts';
import { flag, oneOf, requiredText, requiredTexts, text, textMap, textOrRecordMap, texts } from './fields.ts';
import {
  addressRange,
  addressRanges,
  certificateArn,
  path,
  policyArn,
  securityGroupId,
  subnetId,
  topicArn,
  zoneId as zoneIdShape,
  zoneName as zoneNameShape,
} from './shapes.ts';
import type { ExtraFile, ExtraRepo } from './shared-props.ts';

/** Inputs that several constructs have in common. */
export const environmentField = requiredText({
  description: 'name of the environment, e.g. production',
  pattern: /^[A-Za-z0-9_-]{1,32}$/,
  allowed: 'letters, digits, - and _, at most 32',
});

export const vpcIdField = requiredText({
  description: 'id of the VPC that the subnets belong to',
  pattern: /^vpc-\w+$|^\$\{Token/,
  allowed: 'a VPC id (vpc-…)',
});

export const subnetIdsField = (description: string) => requiredTexts({ ...subnetId, description });

/** The addresses of a construct, and who has access to them. */
export const addressFields = {
  zone_id: requiredText({ ...zoneIdShape, description: 'id of the Route 53 hosted zone of the addresses' }),
  zone_name: requiredText({ ...zoneNameShape, description: 'domain name of the hosted zone' }),
  vpc_cidr_block: text({
    ...addressRange,
    description: 'address range of the VPC, which has access by default',
  }),
  load_balancer_scheme: oneOf(['internal', 'internet-facing'], {
    description: 'scheme of the load balancer',
    default: 'internal',
  }),
  load_balancer_subnet_ids: texts({
    ...subnetId,
    description: 'subnets of the load balancer; public ones if it is internet-facing',
    default: 'subnet_ids',
  }),
  allowed_cidr_blocks: texts({
    ...addressRanges,
    description: 'address ranges that have access to the load balancer',
    default: 'vpc_cidr_block, if the load balancer is internal and client_security_group_ids is not given',
  }),
  client_security_group_ids: texts({
    ...securityGroupId,
    description: 'security groups whose members have access to the load balancer',
  }),
  certificate_arn: text({
    ...certificateArn,
    description: 'own certificate of the addresses in ACM; the hosted zone may be a private one then',
    default: 'a public one of ACM, validated by records in the hosted zone',
  }),
  access_logs_bucket: text({
    description:
      'bucket for the access logs of the load balancer; its policy has to allow Elastic Load Balancing to write',
    pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$|^\$\{Token/,
    allowed: 'the name of a bucket',
  }),
} as const;

export const machineFields = {
  architecture: oneOf(['x86_64', 'arm64'], { description: 'processor architecture', default: 'x86_64' }),
  ami_id: text({
    description: 'machine image of the instances, made from the distribution image_family',
    pattern: /^ami-\w+$|^\$\{Token/,
    allowed: 'an image id (ami-…)',
    default: 'current image of image_family by public SSM parameter',
  }),
  image_family: oneOf(imageFamilies, {
    description: 'distribution of the image; AWS lists ubuntu-22.04 among those that hibernate',
    default: defaultImageFamily,
  }),
  root_device_name: text({
    description: 'root device of the image; with another name an instance gets a second volume',
    pattern: /^\/dev\/[a-z0-9]+$/,
    allowed: 'a device, e.g. /dev/xvda',
    default: 'that of image_family: /dev/sda1 for Ubuntu, /dev/xvda for Debian',
  }),
} as const;

/** How an instance is configured. */
export const configurationFields = {
  packages: texts({
    description: 'packages to install before Puppet runs',
    pattern: /^[A-Za-z0-9][A-Za-z0-9+.:=~_-]*$/,
    allowed: 'package names',
  }),
  puppet_hiera_config_path: text({
    description: 'path of the Hiera configuration file',
    ...path,
    default: '/opt/drover/puppet/hiera.yaml',
  }),
  puppet_module_path: text({
    description: 'path of the Puppet modules',
    ...path,
    default: '/opt/drover/puppet/modules',
  }),
  puppet_manifest: text({
    description: 'path of the manifest that Puppet applies',
    ...path,
    default: '/opt/drover/puppet/manifests/site.pp',
  }),
  extra_files: textOrRecordMap<ExtraFile>({
    ...path,
    description: 'files to write before Puppet runs: path to content, or to content, permissions and owner',
    allowed: 'absolute paths',
    members: {
      content: {},
      permissions: { pattern: /^0?[0-7]{3,4}$/ },
      owner: { pattern: /^[a-z_][\w.-]*(:[a-z_][\w.-]*)?$/i },
    },
    needs: 'content',
  }),
  extra_repos: textOrRecordMap<ExtraRepo>({
    description: 'package repositories: name to apt source line, or to source, key or keyid, and keyserver',
    pattern: /^[\w.-]+$/,
    allowed: 'names',
    members: {
      source: {},
      key: {
        pattern: /^-----BEGIN PGP PUBLIC KEY BLOCK-----\s[\s\S]*-----END PGP PUBLIC KEY BLOCK-----\s*$|\$\{Token\[/,
      },
      keyid: { pattern: /^(0x)?[0-9A-F ]{8,50}$/i },
      keyserver: { pattern: /^\S+$/ },
    },
    needs: 'source',
    accepts: ({ key, keyid, keyserver }) =>
      (key === undefined || keyid === undefined) && (keyserver === undefined || keyid !== undefined),
  }),
  programs_from_packages: flag({
    description:
      'runner-agent and cluster-cli are installed as Debian packages of this version, from a repository in extra_repos or of the image',
    default: 'false',
  }),
  post_runcmd: texts({
    description:
      'shell commands to run after Puppet, before the instance takes up its work; one that fails gives the launch up',
  }),
  extra_policies: texts({ ...policyArn, description: 'managed policies to attach to the instance role' }),
} as const;

export const alarmFields = {
  alarm_emails: texts({
    description: 'e-mail addresses that receive the alarms',
    pattern: /^[^@\s]+@[^@\s]+$/,
    allowed: 'e-mail addresses',
  }),
  alarm_topic_arns: texts({ ...topicArn, description: 'SNS topics that receive the alarms' }),
} as const;

export const tagsField = textMap({
  description: 'tags on every resource',
  pattern: /^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+@-]{1,128}$/iu,
  allowed: 'tag keys (at most 128 characters, not beginning with aws:)',
});
