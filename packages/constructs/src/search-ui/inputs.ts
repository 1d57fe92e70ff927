import { ConstructInputs } from '../inputs/construct-inputs.ts';
import { oneOfNumbers, required, text, texts, wholeNumber } from '../inputs/fields.ts';
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
  version: required('version of this module for which the configuration was written', text(ownVersion)),
  environment: environmentField,
  elasticsearch_url: required(
    'URL of the search cluster: its output cluster_url or cluster_master_url',
    text({
      pattern: /^https?:\/\/[^\s/]+$/,
      accepts: (value) => value.includes('${Token') || URL.canParse(value),
      allowed: 'an http(s) address without a path',
    }),
  ),
  elasticsearch_version: required('version of Elasticsearch that the cluster runs', text(searchVersion)),
  kibana_system_secret_id: required(
    'secret with the password of kibana_system: the output of the cluster with this name',
    text(secretArn),
  ),
  kibana_token_secret_id: text(secretArn),
  vpc_id: vpcIdField,
  subnet_ids: subnetIdsField('subnets of the tasks; they need internet access through NAT'),
  ...addressFields,
  task_security_group_ids: texts(securityGroupId),
  kibana_version: text(searchVersion),
  kibana_image: text({
    pattern: /^[a-z0-9][\w./:-]*[a-z0-9]$/,
    allowed: 'the name of an image, e.g. docker.elastic.co/kibana/kibana',
  }),
  task_count: wholeNumber(1, 10),
  task_cpu: oneOfNumbers(512, 1024, 2048, 4096),
  task_memory: wholeNumber(1024, 30_720),
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
