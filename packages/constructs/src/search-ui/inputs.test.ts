import { moduleVersion } from '@drover/core/names/version';
import { describe, expect, it } from 'vitest';
import { SearchUi } from '../index.ts';
import { type Contradiction, type Inputs, testModuleInputs } from '../inputs/module-inputs.test-support.ts';
import { names, toProps } from '../props/search-ui.ts';
import { fits } from './contradictions.ts';
import { searchUiFields, searchUiInputs } from './inputs.ts';
import type { SearchUiInputs } from './props.ts';

const valid: Inputs = {
  version: moduleVersion,
  environment: 'production',
  elasticsearch_url: 'https://logs-master.search.example.com',
  elasticsearch_version: '8.19.21',
  kibana_system_secret_id: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:kibana-AbCdEf',
  zone_id: 'Z0123456789',
  zone_name: 'search.example.com',
  vpc_id: 'vpc-1',
  vpc_cidr_block: '10.0.0.0/16',
  subnet_ids: ['subnet-1', 'subnet-2'],
};

const contradictions: readonly Contradiction[] = [
  ['a configuration for a newer module', { version: '99.0.0' }, 'version', ['99.0.0', moduleVersion, 'CHANGELOG']],
  ['a configuration for an older module', { version: '0.0.9' }, 'version', ['0.0.9', moduleVersion]],
  ['a Kibana of another major version', { kibana_version: '9.1.0' }, 'kibana_version', ['9.1.0', '8.19.21']],
  ['a Kibana that is newer than the cluster', { kibana_version: '8.20.0' }, 'kibana_version', ['newer', '8.19.21']],
  [
    'a task size that Fargate does not offer',
    { task_cpu: 512, task_memory: 8192 },
    'task_memory',
    ['4096', 'task_cpu'],
  ],
  ['task_memory between two sizes of Fargate', { task_memory: 3000 }, 'task_memory', ['steps of 1024']],
  ['an address without any allowed range', { vpc_cidr_block: undefined }, 'allowed_cidr_blocks', ['vpc_cidr_block']],
  ['a load balancer with one subnet', { subnet_ids: ['subnet-1'] }, 'subnet_ids', ['two zones']],
];

testModuleInputs({
  title: 'the web UI',
  folder: 'search-ui',
  fields: searchUiFields,
  valid,
  wrongForOne: {
    task_security_group_ids: [['subnet-1']],
    version: ['0.1', 'latest', '~> 1.0'],
    elasticsearch_url: ['logs.example.com', 'https://logs.example.com/', 'ftp://logs', 'https://x:99999'],
    elasticsearch_version: ['8.19', '8.x', '7.17.29'],
    kibana_version: ['8.19', '8.x', '8.8.2'],
    kibana_system_secret_id: ['secret', 'arn:aws:s3:::bucket', 'arn:aws:secretsmanager:eu-west-1:1:secret:x'],
    kibana_token_secret_id: ['secret'],
    kibana_image: ['Kibana', 'kibana:', 'two words'],
    task_cpu: [256, 1000],
  },
  contradictions,
  readConfiguration: SearchUi.readConfiguration,
  names,
  construct: (stack, inputs) => void new SearchUi(stack, 'Ui', toProps(inputs as unknown as SearchUiInputs)),
  settled: (inputs) => ({ ...searchUiInputs.settings(toProps(inputs as unknown as SearchUiInputs)) }),
});

describe('the version for which a configuration of the web UI was written', () => {
  it.each([
    ['1.4.2', '1.4.2', true],
    ['1.4.2', '1.9.0', true],
    ['1.4.2', '1.4.1', false],
    ['1.4.2', '2.0.0', false],
    ['2.0.0', '1.9.0', false],
    ['0.1.0', '0.1.7', true],
    ['0.1.0', '0.2.0', false],
    ['0.2.0', '0.2.0-dev', true],
    ['0.2.0-dev', '0.2.0', true],
    ['0.1.0', '0.2.0-dev', false],
    ['0.2.1', '0.2.0-dev', false],
  ])('a configuration for %s fits the module %s: %s', (wanted, installed, expected) => {
    expect(fits(wanted, installed)).toBe(expected);
  });
});
