import { readFileSync } from 'node:fs';
import { agentKeys } from '@drover/core/names/agent-keys';
import { expect, it } from 'vitest';
import { configFile, factsFile, findConfig, readConfig } from './config.ts';

const written = {
  autoscaling_group_name: 'runners',
  region: 'eu-west-1',
  platform_url: 'https://github.com/o',
  host_reports: 'memory/hosts/arn:',
};
const files = (content: Readonly<Record<string, unknown>>) => (path: string) =>
  path in content ? JSON.stringify(content[path]) : undefined;

it('reads what Puppet wrote', () => {
  expect(readConfig(JSON.stringify({ ...written, extra_labels: ['gpu'] }))).toEqual({
    groupName: 'runners',
    ownGroup: 'runners',
    region: 'eu-west-1',
    platformUrl: 'https://github.com/o',
    extraLabels: ['gpu'],
    ephemeral: false,
    cleanBetweenJobs: true,
    runnerGroup: undefined,
    runnerVersion: undefined,
    runnerDirectory: '/opt/actions-runner',
    runnerUser: 'actions-runner',
    logGroup: undefined,
    metricNamespace: 'Drover/ActionsRunner',
    reports: { bucket: 'memory', prefix: 'hosts/arn:' },
  });
});

it('serves one job in jobs mode', () => {
  expect(readConfig(JSON.stringify({ ...written, scaling_mode: 'jobs' })).ephemeral).toBe(true);
});

it('names the key that is missing and what to do', () => {
  expect(() => readConfig('{}')).toThrow(`${configFile}: autoscaling_group_name is missing`);
});

it('takes the facts of cloud-init when Puppet failed before it wrote the configuration', () => {
  const found = findConfig(files({ [factsFile]: { actions_runner: written } }));

  expect(found).toMatchObject({ groupName: 'runners', region: 'eu-west-1' });
});

it('prefers the configuration to the facts', () => {
  const facts = { actions_runner: { ...written, autoscaling_group_name: 'other' } };

  expect(findConfig(files({ [factsFile]: facts, [configFile]: written })).groupName).toBe('runners');
});

it('says which files it looked for when there is neither', () => {
  expect(() => findConfig(() => undefined)).toThrow(configFile);
});

it('a misspelt key of the agent is refused with the right spelling, where its default would come into force in silence', () => {
  expect(() => readConfig(JSON.stringify({ ...written, log_groop: '/drover/runners' }))).toThrow(
    `${configFile}: the agent has no key log_groop; did you mean log_group?`,
  );
});

it.each([
  'log_group',
  'own_group_name',
  'runner_group',
  'host_reports',
  'metric_namespace',
  'runner_user',
  'scaling_mode',
])('a value of the agent key %s that is no text is refused', (key) => {
  expect(() => readConfig(JSON.stringify({ ...written, [key]: 5 }))).toThrow(
    `${configFile}: ${key} is 5, which is not a text`,
  );
});

it('Puppet adds and reads no key that the agent does not know', () => {
  const module = new URL('../../../puppet/modules/drover_runner/manifests/', import.meta.url);
  const added = readFileSync(new URL('agent.pp', module), 'utf8').matchAll(/^ {4}'(\w+)' +=>/gm);
  const read = readFileSync(new URL('init.pp', module), 'utf8').matchAll(/dig\('actions_runner', '(\w+)'\)/g);
  const keys = [...added, ...read].map(([, key]) => key!);

  expect(keys).toHaveLength(9);
  expect(Object.values<string>(agentKeys)).toEqual(expect.arrayContaining(keys));
});
