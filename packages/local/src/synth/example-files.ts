import type { DroverIo } from '@drover/operator/io';

/** The files of examples/runner-fleet and examples/search-cluster: an installed package has no examples beside it. */
export const exampleFiles = {
  fleet: `# A runner fleet as a configuration file; docs/CONFIGURATION.md lists every input.
environment: production
platform_org: example-org
platform_token_secret_arn: arn:aws:secretsmanager:eu-west-1:123456789012:secret:github-token
vpc_id: vpc-0a1b2c3d4e5f60718
subnet_ids: [subnet-0a1b2c3d4e5f60711, subnet-0a1b2c3d4e5f60712, subnet-0a1b2c3d4e5f60713]
lambda_subnet_ids: [subnet-0a1b2c3d4e5f60711, subnet-0a1b2c3d4e5f60712, subnet-0a1b2c3d4e5f60713]
asg_min_size: 3
asg_max_size: 10
idle_runners_target_count: 2
# AWS does not list Ubuntu 24.04 among the images that hibernate; with image_family: ubuntu-22.04 leave this out.
warm_pool_max_size: 0
# The newest runner software, which is the default: releases are mirrored and roll through the fleet.
runner_version: latest
`,
  cluster: `# A search cluster as a configuration file; docs/CONFIGURATION.md lists every input.
cluster_name: logs
environment: production
zone_id: Z0123456789ABCDEFGHIJ
zone_name: search.example.com
vpc_id: vpc-0a1b2c3d4e5f60718
vpc_cidr_block: 10.0.0.0/16
subnet_ids: [subnet-0a1b2c3d4e5f60711, subnet-0a1b2c3d4e5f60712, subnet-0a1b2c3d4e5f60713]
master_count: 3
data_count: 5
data_volume_size: 500
elasticsearch_version: 8.19.21
alarm_emails: [search-operators@example.com]
`,
} as const;

/** `--print-example`: a file to begin with, on stdout. */
export function printExample({ stdout }: Pick<DroverIo, 'stdout'>, kind: keyof typeof exampleFiles): number {
  stdout(exampleFiles[kind]);
  return 0;
}
