import { imageFamilies } from '../boot/images.ts';
import { flag, oneOf, required, text, textMap, textOrRecordMap, texts } from './fields.ts';
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
export const environmentField = required(
  'name of the environment, e.g. production',
  text({ pattern: /^[A-Za-z0-9_-]{1,32}$|^\$\{Token/, allowed: 'letters, digits, - and _, at most 32' }),
);

export const vpcIdField = required(
  'id of the VPC that the subnets belong to',
  text({ pattern: /^vpc-\w+$|^\$\{Token/, allowed: 'a VPC id (vpc-…)' }),
);

export const subnetIdsField = (meaning: string) => required(meaning, texts(subnetId, 1));

/** The addresses of a construct, and who has access to them. */
export const addressFields = {
  zone_id: required('id of the Route 53 hosted zone of the addresses', text(zoneIdShape)),
  zone_name: required('domain name of the hosted zone', text(zoneNameShape)),
  vpc_cidr_block: text(addressRange),
  load_balancer_scheme: oneOf('internal', 'internet-facing'),
  load_balancer_subnet_ids: texts(subnetId),
  allowed_cidr_blocks: texts(addressRanges),
  client_security_group_ids: texts(securityGroupId),
  certificate_arn: text(certificateArn),
  access_logs_bucket: text({
    pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$|^\$\{Token/,
    allowed: 'the name of a bucket',
  }),
} as const;

export const machineFields = {
  architecture: oneOf('x86_64', 'arm64'),
  ami_id: text({ pattern: /^ami-\w+$|^\$\{Token/, allowed: 'an image id (ami-…)' }),
  image_family: oneOf(...imageFamilies),
  root_device_name: text({ pattern: /^\/dev\/[a-z0-9]+$/, allowed: 'a device, e.g. /dev/xvda' }),
} as const;

/** How an instance is configured. */
export const configurationFields = {
  packages: texts({ pattern: /^[A-Za-z0-9][A-Za-z0-9+.:=~_-]*$/, allowed: 'package names' }),
  puppet_package: text({ pattern: /^[a-z0-9][a-z0-9+.=:~-]+$/, allowed: 'the name of a package' }),
  puppet_hiera_config_path: text(path),
  puppet_module_path: text(path),
  puppet_manifest: text(path),
  extra_files: textOrRecordMap<ExtraFile>(
    { ...path, allowed: 'absolute paths' },
    {
      members: {
        content: {},
        permissions: { pattern: /^0?[0-7]{3,4}$/ },
        owner: { pattern: /^[a-z_][\w.-]*(:[a-z_][\w.-]*)?$/i },
      },
      needs: 'content',
    },
  ),
  extra_repos: textOrRecordMap<ExtraRepo>(
    { pattern: /^[\w.-]+$/, allowed: 'names' },
    {
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
    },
  ),
  programs_from_packages: flag,
  post_runcmd: texts({}),
  extra_policies: texts(policyArn),
} as const;

export const alarmFields = {
  alarm_emails: texts({ pattern: /^[^@\s]+@[^@\s]+$/, allowed: 'e-mail addresses' }),
  alarm_topic_arns: texts(topicArn),
} as const;

export const tagsField = textMap({
  pattern: /^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+@-]{1,128}$/iu,
  allowed: 'tag keys (at most 128 characters, not beginning with aws:)',
});
