/** Writes docs/CONFIGURATION.md from the tables of the constructs and the TSDoc of their props, so that the reference cannot differ from them. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  camelCase,
  type Field,
  type Fields,
  nodeGroupFields,
  type Outputs,
  runnerFleetFields,
  runnerFleetNames,
  runnerFleetOutputs,
  runnerTypeFields,
  searchClusterFields,
  searchClusterNames,
  searchClusterOutputs,
  searchUiFields,
  searchUiNames,
  searchUiOutputs,
  stackOutputName,
} from '@drover/constructs/reference';
import { moduleVersion } from '@drover/core/names/version';
import { inputDocs, type ModuleFolder, withKeys } from './input-docs.ts';
import { wrapMarkdown } from './wrap-markdown.ts';

/** The path of the page. */
export const configurationPage = fileURLToPath(new URL('../../docs/CONFIGURATION.md', import.meta.url));

/** The inputs and outputs of every module as Markdown. */
export function configurationReference(): string {
  return [
    '# Configuration',
    '',
    '<!-- Written by scripts/docs/configuration.ts from the tables of packages/constructs: change those, not this. -->',
    '',
    introduction,
    '',
    outputIntroduction,
    '',
    ...modules.flatMap(moduleReference),
  ].join('\n');
}

const introduction = `Each module is a CDK construct with typed props in camelCase, and reads a YAML or JSON file whose keys are the names below.
An unknown key, a wrong type, a value out of range or a contradiction stops the synthesis with the key, the value, what is
allowed and what to do; every problem is listed. An IDE shows the meaning, the allowed values and the default of each prop. Props have
what belongs together in one object: the column *Prop* names the maker, or the member of the object, that has the input.`;

const fleetIntroduction = `\`\`\`ts
new RunnerFleet(stack, 'RunnerFleet', RunnerFleet.readConfiguration('fleet.yaml'));
new RunnerFleet(stack, 'RunnerFleet', {
  environment: 'production',
  level: GitHubLevel.organization('example-org'),
  network: Network.fromVpc(vpc),
  credentials: GitHubCredentials.token(secret),
});
\`\`\`

\`examples/runner-fleet\` is a whole app.`;

/** The longer forms of inputs. */
const extras = `
An entry of \`extra_repos\` and \`extra_files\` is a text, or a map with more:

\`\`\`yaml
extra_repos:
  plain: deb [trusted=yes] https://apt.example.com noble main
  # \`key\` is the armored public key; \`keyid\` fetches it from \`keyserver\` instead (keyserver.ubuntu.com unless given).
  # $KEY_FILE is where cloud-init puts it: the key is trusted for this repository only.
  signed:
    source: deb [signed-by=$KEY_FILE] https://download.docker.com/linux/ubuntu noble stable
    keyid: 9DC858229FC7DD38854AE2D88D81803C0EBFCD88
extra_files:
  /etc/motd: one of ours
  # A file of another user is written when packages are installed, so that a package can bring the user.
  /etc/my-tool.conf: { content: "level: 3", permissions: "0640", owner: "root:adm" }
post_runcmd:
  - my-tool --warm-cache
\`\`\`

The commands of \`post_runcmd\` run as root in one \`sh -e\`, after Puppet and before the runner takes its first job. The first that fails gives the launch up; its number is in
\`/run/drover/boot-failed\` and in \`/var/log/cloud-init-output.log\`. Files are compressed in the user data, of which EC2 takes 16 KiB; \`synth\` stops with the size when it is more.`;

/** The input `types`. */
const types = `
Types of runners, for \`scaling_mode: jobs\` only:

\`\`\`yaml
group_name: ci
scaling_mode: jobs
instance_type: m7a.large # the inputs at the top are the default type: group and scale set ci
types:
  large: { instance_types: [m7a.2xlarge, m6a.2xlarge], asg_max_size: 40 }
  arm: { architecture: arm64, instance_type: m8g.xlarge, extra_labels: [arm] }
  deploy: { runner_group: Deployments, extra_policies: ['arn:aws:iam::123456789012:policy/deploy'] }
\`\`\`

Each has a group and a scale set \`<group_name>-<type>\`, by whose name jobs ask for it (\`runs-on: ci-large\`), a launch template and a role. Functions, alarms and the dashboard are the fleet's.
A type takes ${Object.keys(runnerTypeFields)
  .map((key) => `\`${key}\``)
  .join(', ')}. What it leaves out is the fleet's, but \`asg_min_size\` and
\`idle_runners_target_count\` are 0 then, and it has no \`extra_labels\`, no \`extra_policies\` and no warm pool. Labels of all types are different; at most 20 types. See [types of runners](how-to/types.md) and [decision 97](decisions/0097-types-of-one-fleet.md).`;

const fleetRules = `Inputs that go together:

- Exactly one of \`platform_org\`, \`platform_repository\` and \`platform_enterprise\`. An enterprise takes no app; a repository has no \`runner_group\`.
- \`scaling_mode: jobs\` may have \`asg_min_size: 0\` with \`idle_runners_target_count: 0\` and takes no \`scale_up_limit\`. With \`idle\` the target, also of a schedule, is at least 1: a fleet
  without an idle runner learns of no job. See [scaling mode](how-to/scaling-mode.md).
- An entry of \`idle_target_schedules\` has \`cron\` (minute, hour, day of month, month, day of week; numbers, names, \`*\`, lists, ranges and steps), \`time_zone\` (a name of the time-zone database) and
  \`idle_runners_target_count\`, e.g. \`{ cron: '0 8 * * 1-5', time_zone: Europe/Berlin, idle_runners_target_count: 5 }\`. It holds until another one fires, so give one for the evening too. No target above \`asg_max_size\`.
- Exactly one way of authentication: \`platform_token_secret_arn\`, or \`platform_app_id\` with \`platform_app_pem_secret_arn\`.
- Without \`lambda_subnet_ids\` and \`runner_subnets_private\` the functions are outside a VPC and need no NAT ([decision 104](decisions/0104-functions-are-outside-a-vpc-unless-they-need-one.md)). They then reach
  public addresses only, so one of the two is required with a proxy, and with a \`platform_api\` or \`runner_release_url\` that is not GitHub's own. Subnets of functions need a route to NAT: a function in a
  public subnet has no internet access. The props also take the private subnets with NAT of a VPC of the app, unless \`lambdaSubnetIds\` is an empty list.
- With \`on_demand_base_capacity\` the group uses spot instances above it and the warm pool is off, with a warning.
- \`warm_pool_max_size\` counts the group and the pool together; 0 means no warm pool. Without a size there is a pool only where AWS lists
  \`image_family\` and the instance type for hibernation; a size turns it on for any image. \`synth\` warns where AWS does not list them.
- \`ami_id\` is an image of the distribution \`image_family\`; its root device has to be that of the distribution, or \`root_device_name\`.
- \`cpu_credits\` is for T instances only.
- \`no_proxy\` needs \`https_proxy\` or \`http_proxy\`. What goes through the proxy, and what does not, is in [Network](how-to/network.md).
- With a warm pool \`root_volume_size\` must hold the memory of a hibernated instance and 10 GiB more.
- \`architecture\` must match the instance types.
- \`instance_requirements\` stands instead of \`instance_type\` and \`instance_types\`, and needs \`vcpu_count\` and \`memory_mib\`, e.g. \`{ vcpu_count: { min: 2, max: 4 }, memory_mib: { min: 8192 } }\`. AWS
  takes any type that meets all of it and runs the image, so the processor is that of \`architecture\`; what is left out has AWS's default. See [spot](how-to/spot.md#any-type-that-is-large-enough).
- A \`puppet_hiera_config_path\` below \`/opt/<package>\` needs \`<package>\` in \`packages\`.
- \`docker\` and \`passwordless_sudo\` let every job become root on its instance and so act with the instance's role (\`extra_policies\` included); \`synth\`
  warns, \`drover fleet doctor\` repeats it, and the group has the tag \`drover:job-privileges\`. Without them \`container:\`, \`services:\`, Docker
  actions and \`sudo\` do not work in jobs. See [Docker and sudo in jobs](how-to/docker-and-sudo.md).
${types}
${extras}`;

const fleetMembers = `A fleet also has:

- \`autoScalingGroup\`, \`role\` (of the instances), \`typeRoles\` (of the instances of each type), \`functions\` and \`alarmTopic\`;
- \`connections\` of the runners: \`fleet.connections.allowFrom(scraper, Port.tcp(9100))\`;
- grants for its instances: \`bucket.grantRead(fleet)\`;
- \`metric(name)\`, \`metricIdleRunners()\`, \`metricBusyRunners()\`, \`metricOfflineRunners()\`, \`metricMissingRunners()\`, \`metricHookAge()\` and
  \`metricRateLimitRemaining()\` for alarms and dashboards of your own.`;

const clusterIntroduction = `\`\`\`ts
new SearchCluster(stack, 'SearchCluster', SearchCluster.readConfiguration('cluster.yaml'));
new SearchCluster(stack, 'SearchCluster', {
  environment: 'production',
  clusterName: 'logs',
  network: Network.fromVpc(vpc),
  zone: Zone.fromHostedZone(hostedZone),
});
\`\`\`

\`examples/search-cluster\` is a whole app.`;

/** The input `node_groups`. */
const nodeGroups = `
Groups of nodes:

\`\`\`yaml
cluster_name: logs
node_groups:
  master: { count: 3, instance_type: t3a.medium } # the same as master_count, instance_type_master, master_volume_size
  data: { tier: hot, count: 3, volume_size: 500 } # the same as data_count, …; without a tier it serves all of them
  warm: { tier: warm, count: 2, instance_type: r6i.large, volume_size: 2000 }
\`\`\`

\`master\` and \`data\` are always there. Each further key is a group \`<cluster_name>-<key>\` of data nodes with a launch template and a role. A group takes ${Object.keys(
  nodeGroupFields,
)
  .map((key) => `\`${key}\``)
  .join(
    ', ',
  )}; a further one has 3 nodes of m6i.large (m7g.large) with 200 GiB unless it says otherwise. \`roles\` stand instead of a \`tier\`, and hold data. The tier frozen needs \`licence: enterprise\`.
The address of the data nodes leads to the group \`data\`, that of the masters to \`master\`, and none to further groups. See [tiers of data](how-to/tiers.md) and [decision 106](decisions/0106-groups-of-nodes.md).`;

const clusterRules = `Inputs that go together:

- Access to the addresses: \`allowed_cidr_blocks\`, or \`vpc_cidr_block\` for an internal load balancer. An internet-facing one needs
  \`allowed_cidr_blocks\` and public \`load_balancer_subnet_ids\`.
- Access to the exporters: \`monitoring_cidr_block\`, or \`vpc_cidr_block\`.
- \`architecture\` must match both instance types.
- A \`puppet_hiera_config_path\` below \`/opt/<package>\` needs \`<package>\` in \`packages\`.
- A cluster cannot be called \`kibana\`: that is the address of the web UI.
- \`client_security_group_ids\` without \`allowed_cidr_blocks\`: only members of these groups have access.
- The shortest address may have 64 characters, unless \`certificate_arn\` is given; the zone may be private then.
- \`data_volume_throughput\` needs four IOPS for each MiB/s, and \`data_volume_iops\` a GiB for each 500.
- \`indices_recovery_max_bytes_per_sec\` is kept by the masters as a persistent cluster setting: a change replaces masters only. Where \`elasticsearch_settings\` has the setting, they leave it alone.
- \`data_volume_max_size\` needs \`separate_data_volume\`; with \`max_count\` of a group it gives full disks room, volumes first ([how](how-to/run-a-cluster.md#disks-that-grow-by-themselves)).
- \`node_left_delay\` is kept by the masters on every index of users that has no value of its own, within ten minutes of its creation; a value that a user or a template gives stays. A longer one helps where nodes come back, after a reset of their machine for example: until it is over, or they are back, the cluster is yellow. Restarts in place wait longer by themselves.
- \`forced_awareness\`: with three zones and one replica it changes nothing; with two zones, or two replicas in three, copies of a lost zone wait for it instead of filling the other zones, and the cluster stays yellow
  meanwhile ([decision 67](decisions/0067-forced-awareness-is-an-input.md)). A change replaces the masters.
- \`elasticsearch_settings\` and \`keystore_secrets\` cannot set what the module sets itself. A keystore entry follows its secret within half an hour; Elasticsearch reads it
  at its next start, or at \`cluster-cli api POST /_nodes/reload_secure_settings\` where the setting can be reloaded.
- A policy of \`snapshot_policies\` has \`schedule\` (Quartz), \`expire\`, \`count\` and \`overdue\`, e.g. \`{ schedule: '0 30 1 * * ?', expire: 14d, count: 14, overdue: 2d }\`. Masters keep them as they are here and
  leave other policies alone; the alarm \`snapshot_too_old\` takes the shortest \`overdue\`. A built-in policy that is no longer wanted is deleted by \`cluster-cli api DELETE /_slm/policy/ID\`.
- \`node_certificate_days\`: a roll gives every node a certificate of a shorter time at once; a longer one comes with the next certificate. A stolen certificate ends with its days, while its authority is trusted as long as it is.
- \`restore_drill_days\`: a drill restores one index, for which there has to be room below the low disk watermark, beside the live one and deletes it; without snapshot policies there is no alarm for it. A value other than 7 replaces the masters.
- \`exporter_user\`: a name other than \`elastic\` makes a user with its own secret that may only monitor; the exporter then leaves out the statistics of SLM, which need more.
- \`anonymous_monitoring\`: true lets any client that reaches a load balancer read health and statistics, in which are names of indices and of nodes; \`_cat\` tables, cluster settings and cluster state need a
  login either way ([decision 72](decisions/0072-what-nobody-may-read.md)). A change reaches the nodes by \`drover cluster roll\`.
- \`kibana_auth\`: with \`service_token\` the masters keep a token of the service account \`elastic/kibana\` in the secret \`kibana_token_secret_id\`; give it to the web UI under the same name. The
  password of \`kibana_system\` stays valid and is set in both cases.
- \`password_rotation_days\`: Kibana's token needs \`kibana_auth: service_token\` and a web UI of this release, the exporter's password an \`exporter_user\` of its own; a new password is readable as AWSPENDING for a day
  before it is used ([how](how-to/run-a-cluster.md#replaced-by-themselves)).
- \`names_with_environment\` cannot be changed for a cluster that exists.
- \`extra_repos\`, \`extra_files\` and \`post_runcmd\`: as for a runner fleet.

A deployment replaces no node. Settings, plugins, packages and the version of Drover reach the nodes by \`drover cluster roll\`, \`elasticsearch_version\` by \`drover cluster upgrade\`, and image, instance type, volumes, \`extra_files\`, \`extra_repos\` and \`post_runcmd\` come with new instances: by an instance refresh that you start.
The password of \`kibana_system\` is no output: the construct has it as \`kibanaSystemPassword\`, a secret value that is resolved where it is
used, and \`drover output kibana_system_password\` fetches it.
${nodeGroups}`;

const clusterMembers = `A cluster also has:

- \`masterGroup\`, \`dataGroup\`, \`masterRole\`, \`dataRole\`, \`snapshotsBucket\` and \`alarmTopic\`;
- \`connections\` of the load balancers, with the default port 443: \`cluster.connections.allowDefaultPortFrom(client)\`; and \`nodeConnections\`
  of the nodes;
- \`grantReadElasticPassword(grantee)\`, \`grantReadKibanaSystemPassword(grantee)\`, \`grantReadCaCertificate(grantee)\` and
  \`grantReadSnapshots(grantee)\`;
- \`metric(name)\`, \`metricNotGreen()\`, \`metricSnapshotAge()\`, \`metricDiskUsed()\`, \`metricDrainTime()\`, \`metricRetainedInstances()\`,
  \`metricCertificateDaysLeft()\` and \`metricUnhealthyHosts(kind)\`.`;

const uiIntroduction = `\`\`\`ts
new SearchUi(stack, 'SearchUi', {
  environment: 'production',
  version: '${moduleVersion}',
  network: Network.fromVpc(vpc),
  zone: Zone.fromHostedZone(hostedZone),
  elasticsearchUrl: cluster.clusterMasterUrl,
  elasticsearchVersion: cluster.elasticsearchVersion,
  credentials: KibanaCredentials.fromSecretIds(cluster.kibanaSystemSecretId),
});
\`\`\`

\`examples/local\` is an app with a cluster and its web UI. Kibana is at \`https://kibana.<zone_name>\`; when its password changes its tasks are
replaced within a minute.`;

const uiRules = `Inputs that go together:

- \`version\` must fit this module: the same major version (before 1.0 the same minor version), and not newer.
- \`kibana_version\` must have the cluster's major version and must not be newer than it.
- \`task_memory\` must be a size that Fargate offers for \`task_cpu\`.
- Access to the address: as for the search cluster.
- The tasks reach the cluster by its \`allowed_cidr_blocks\`, or by a group in \`task_security_group_ids\` that the cluster has in \`client_security_group_ids\`.`;

const uiMembers = `A web UI also has \`executionRole\`, \`connections\` of its load balancer with the default port 443, \`alarmTopic\` and
\`metricUnhealthyHosts()\`.`;

const outputIntroduction = `CloudFormation allows only letters and digits in the name of an output; \`drover output NAME\` takes either name. In a stack
of several modules an output whose name is taken has the construct's id before it: \`AlarmTopicArn\`, \`SearchClusterAlarmTopicArn\`.`;

interface Module {
  readonly title: string;
  readonly folder: ModuleFolder;
  readonly introduction: string;
  readonly fields: Fields;
  /** Props of inputs that are not called by their own names. */
  readonly names: Readonly<Record<string, string>>;
  readonly rules: string;
  readonly outputs: Outputs;
  /** Members of a construct for CDK code besides its outputs. */
  readonly members: string;
}

const modules: readonly Module[] = [
  {
    title: 'Runner fleet',
    folder: 'runner-fleet',
    introduction: fleetIntroduction,
    fields: runnerFleetFields,
    names: runnerFleetNames,
    rules: fleetRules,
    outputs: runnerFleetOutputs,
    members: fleetMembers,
  },
  {
    title: 'Search cluster',
    folder: 'search-cluster',
    introduction: clusterIntroduction,
    fields: searchClusterFields,
    names: searchClusterNames,
    rules: clusterRules,
    outputs: searchClusterOutputs,
    members: clusterMembers,
  },
  {
    title: 'Web UI',
    folder: 'search-ui',
    introduction: uiIntroduction,
    fields: searchUiFields,
    names: searchUiNames,
    rules: uiRules,
    outputs: searchUiOutputs,
    members: uiMembers,
  },
];

const moduleReference = (module: Module): readonly string[] => [
  `## ${module.title}`,
  '',
  module.introduction,
  '',
  '### Inputs',
  '',
  ...inputTable(module),
  '',
  module.rules,
  '',
  '### Outputs',
  '',
  ...outputTable(module.outputs),
  '',
  '### In CDK code',
  '',
  module.members,
  '',
];

const escaped = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '\\<');

function inputTable({ folder, fields, names }: Module): readonly string[] {
  const docs = inputDocs(folder);
  const nameOfKey = new Map(Object.keys(fields).map((key) => [key, names[key] ?? camelCase(key)]));
  const rows = Object.entries<Field<unknown>>(fields).map(([key, { meaning, allowed }]) => {
    const doc = docs.get(camelCase(key))!;
    const said = meaning ?? withKeys(asPhrase(doc.summary), nameOfKey);
    const fallback = meaning === undefined ? escaped(withKeys(doc.default ?? 'none', nameOfKey)) : '**required**';
    return `| \`${key}\` | \`${nameOfKey.get(key)}\` | ${escaped(said)} | ${escaped(allowed)} | ${fallback} |`;
  });
  return ['| Input | Prop | Meaning | Allowed | Default |', '|---|---|---|---|---|', ...rows];
}

/** A sentence as an entry of a table; a name or an abbreviation at its beginning stays as it is. */
const asPhrase = (sentence: string) =>
  sentence.replace(/\.$/, '').replace(/^[A-Z](?=[a-z-]*\b)/, (letter) => letter.toLowerCase());

function outputTable(outputs: Outputs): readonly string[] {
  const rows = Object.entries(outputs).map(
    ([name, meaning]) => `| \`${name}\` | \`${stackOutputName(name)}\` | ${escaped(meaning)} |`,
  );
  return ['| Output | In the stack | Meaning |', '|---|---|---|', ...rows];
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(configurationPage, wrapMarkdown(configurationReference()));
