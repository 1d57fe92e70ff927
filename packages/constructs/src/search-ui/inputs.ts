import { oneOfNumbers, type PropsOf, requiredText, text, wholeNumber } from '../inputs/fields.ts';
import { secretArn, version } from '../inputs/shapes.ts';
import {
  addressFields,
  alarmFields,
  environmentField,
  machineFields,
  subnetIdsField,
  tagsField,
  vpcIdField,
} from '../inputs/shared-fields.ts';

/** Every input of the web UI, by the specification's name. */
export const searchUiFields = {
  version: requiredText({ ...version, description: 'version of this module that the configuration was written for' }),
  environment: environmentField,
  elasticsearch_url: requiredText({
    description: 'address of the search cluster: its output cluster_url or cluster_master_url',
    pattern: /^https?:\/\/[^\s/]+$/,
    accepts: (value) => value.includes('${Token') || URL.canParse(value),
    allowed: 'an http(s) address without a path',
  }),
  elasticsearch_version: requiredText({ ...version, description: "the cluster's version of Elasticsearch" }),
  kibana_system_secret_id: requiredText({
    ...secretArn,
    description: "secret with the password of kibana_system: the cluster's output of this name",
  }),
  vpc_id: vpcIdField,
  subnet_ids: subnetIdsField('subnets of the tasks; they need a way out through NAT'),
  ...addressFields,
  kibana_version: text({
    ...version,
    description: "version of Kibana: of the cluster's major version, and not newer than it",
    default: 'elasticsearch_version',
  }),
  kibana_image: text({
    description: 'image of Kibana without its tag',
    pattern: /^[a-z0-9][\w./:-]*[a-z0-9]$/,
    allowed: 'the name of an image, e.g. docker.elastic.co/kibana/kibana',
    default: 'docker.elastic.co/kibana/kibana',
  }),
  task_count: wholeNumber({ least: 1, most: 10, description: 'how many tasks run', default: '2' }),
  task_cpu: oneOfNumbers([512, 1024, 2048, 4096], { description: 'CPU units of a task', default: '1024' }),
  task_memory: wholeNumber({
    least: 1024,
    most: 30_720,
    description: 'MiB of a task: what Fargate has for its CPU units',
    default: '2048, or twice task_cpu',
  }),
  architecture: machineFields.architecture,
  ...alarmFields,
  tags: tagsField,
} as const;

/** Props of `SearchUi`; docs/CONFIGURATION.md describes each. */
export type SearchUiProps = PropsOf<typeof searchUiFields>;
