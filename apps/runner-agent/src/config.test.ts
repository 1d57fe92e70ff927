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
    region: 'eu-west-1',
    platformUrl: 'https://github.com/o',
    extraLabels: ['gpu'],
    ephemeral: false,
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
