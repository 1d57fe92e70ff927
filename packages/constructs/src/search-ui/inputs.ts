import { ConstructInputs } from '../inputs/construct-inputs.ts';
import { oneOfNumbers, requiredText, text, texts, wholeNumber } from '../inputs/fields.ts';
import { ownVersion, searchVersion, secretArn, securityGroupId } from '../inputs/shapes.ts';
import {
  addressFields,
  alarmFields,
  environmentField,
  machineFields,
  subnetIdsField,
  tagsField,
  vpcIdField,
} from '../inputs/shared-fields.ts';
import { names, toInputs, toProps } from '../props/search-ui.ts';
import { contradictions } from './contradictions.ts';
import type { SearchUiInputs, SearchUiProps } from './props.ts';
import { type SearchUiSettings, title, withDefaults } from './settings.ts';

/** Every input of the web UI, by its key in a configuration file. */
export const searchUiFields = {
  version: requiredText({
    ...ownVersion,
    description: 'version of this module for which the configuration was written',
  }),
  environment: environmentField,
  elasticsearch_url: requiredText({
    description: 'URL of the search cluster: its output cluster_url or cluster_master_url',
    pattern: /^https?:\/\/[^\s/]+$/,
    accepts: (value) => value.includes('${Token') || URL.canParse(value),
    allowed: 'an http(s) address without a path',
  }),
  elasticsearch_version: requiredText({
    ...searchVersion,
    description: 'version of Elasticsearch that the cluster runs',
  }),
  kibana_system_secret_id: requiredText({
    ...secretArn,
    description: 'secret with the password of kibana_system: the output of the cluster with this name',
  }),
  kibana_token_secret_id: text({
    ...secretArn,
    description: 'secret with a token of the service account elastic/kibana, to log in with instead of the password',
  }),
  vpc_id: vpcIdField,
  subnet_ids: subnetIdsField('subnets of the tasks; they need internet access through NAT'),
  ...addressFields,
  task_security_group_ids: texts({
    ...securityGroupId,
    description: 'security groups of the tasks beside their own, e.g. one in client_security_group_ids of the cluster',
  }),
  kibana_version: text({
    ...searchVersion,
    description: 'version of Kibana: the same major version as the cluster, and not newer than it',
    default: 'elasticsearch_version',
  }),
  kibana_image: text({
    description: 'container image of Kibana without its tag',
    pattern: /^[a-z0-9][\w./:-]*[a-z0-9]$/,
    allowed: 'the name of an image, e.g. docker.elastic.co/kibana/kibana',
    default: 'docker.elastic.co/kibana/kibana',
  }),
  task_count: wholeNumber({ least: 1, most: 10, description: 'number of tasks', default: '2' }),
  task_cpu: oneOfNumbers([512, 1024, 2048, 4096], { description: 'CPU units of a task', default: '1024' }),
  task_memory: wholeNumber({
    least: 1024,
    most: 30_720,
    description: 'memory of a task in MiB: a size that Fargate offers for its CPU units',
    default: '2048, or twice task_cpu',
  }),
  architecture: machineFields.architecture,
  ...alarmFields,
  tags: tagsField,
} as const;

/** From the inputs of the web UI to its settings. */
export const searchUiInputs = new ConstructInputs<SearchUiProps, SearchUiInputs, SearchUiSettings>({
  title,
  fields: searchUiFields,
  names,
  toInputs,
  toProps,
  withDefaults,
  contradictions,
});
