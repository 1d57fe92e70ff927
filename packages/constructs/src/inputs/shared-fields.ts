import { oneOf, requiredText, requiredTexts, text, textMap, texts } from './fields.ts';
import {
  addressRange,
  addressRanges,
  path,
  policyArn,
  subnetId,
  topicArn,
  zoneId as zoneIdShape,
  zoneName as zoneNameShape,
} from './shapes.ts';

/** Inputs that several modules have, word for word. */
export const environmentField = requiredText({
  description: 'name of the environment, e.g. production',
  pattern: /^[A-Za-z0-9_-]{1,32}$/,
  allowed: 'letters, digits, - and _, at most 32',
});

export const vpcIdField = requiredText({
  description: 'the VPC of the subnets',
  pattern: /^vpc-\w+$|^\$\{Token/,
  allowed: 'a VPC id (vpc-…)',
});

export const subnetIdsField = (description: string) => requiredTexts({ ...subnetId, description });

/** Where a module's addresses are, and who may reach them. */
export const addressFields = {
  zone_id: requiredText({ ...zoneIdShape, description: 'the hosted zone of the addresses' }),
  zone_name: requiredText({ ...zoneNameShape, description: 'its domain: addresses are below it' }),
  vpc_cidr_block: text({
    ...addressRange,
    description: 'address range of the VPC: who may reach the module unless told otherwise',
  }),
  load_balancer_scheme: oneOf(['internal', 'internet-facing'], {
    description: 'where the load balancer is reached from',
    default: 'internal',
  }),
  load_balancer_subnet_ids: texts({
    ...subnetId,
    description: 'subnets of the load balancer; public ones if it is internet-facing',
    default: 'subnet_ids',
  }),
  allowed_cidr_blocks: texts({
    ...addressRanges,
    description: 'who may use the addresses',
    default: 'vpc_cidr_block, if the load balancer is internal',
  }),
} as const;

export const machineFields = {
  architecture: oneOf(['x86_64', 'arm64'], { description: 'processor of the instances', default: 'x86_64' }),
  ami_id: text({
    description: 'image of the instances',
    pattern: /^ami-\w+$|^\$\{Token/,
    allowed: 'an image id (ami-…)',
    default: "Canonical's current Ubuntu 24.04 by public SSM parameter",
  }),
} as const;

/** How an instance is configured. */
export const configurationFields = {
  packages: texts({
    description: 'packages to install before the configuration agent runs',
    pattern: /^[A-Za-z0-9][A-Za-z0-9+.:=~_-]*$/,
    allowed: 'package names',
  }),
  puppet_hiera_config_path: text({
    description: 'path of the configuration data file',
    ...path,
    default: '/opt/drover/puppet/hiera.yaml',
  }),
  puppet_module_path: text({
    description: 'path of the Puppet modules',
    ...path,
    default: '/opt/drover/puppet/modules',
  }),
  puppet_manifest: text({
    description: 'manifest that is applied',
    ...path,
    default: '/opt/drover/puppet/manifests/site.pp',
  }),
  extra_files: textMap({
    ...path,
    description: 'files to write before the configuration agent runs: path to content',
    allowed: 'absolute paths',
  }),
  extra_repos: textMap({
    description: 'package repositories: name to apt source line',
    pattern: /^[\w.-]+$/,
    allowed: 'names',
  }),
  post_runcmd: texts({ description: 'commands to run after the configuration agent' }),
  extra_policies: texts({ ...policyArn, description: 'managed policies for the instance role' }),
} as const;

export const alarmFields = {
  alarm_emails: texts({
    description: 'addresses that get the alarms',
    pattern: /^[^@\s]+@[^@\s]+$/,
    allowed: 'e-mail addresses',
  }),
  alarm_topic_arns: texts({ ...topicArn, description: 'topics that get the alarms' }),
} as const;

export const tagsField = textMap({
  description: 'tags on everything',
  pattern: /^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+@-]{1,128}$/iu,
  allowed: 'tag keys (at most 128 characters, not beginning with aws:)',
});
