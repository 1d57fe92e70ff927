import { expect, it } from 'vitest';
import { configArguments, silenceRules } from './linux-host.ts';

const config = { platformUrl: 'https://github.com/example-org', runnerGroup: undefined };
const registration = { name: 'i-1', labels: ['instance_id:i-1', 'installation_id:runners', 'gpu'] };

it.each([
  ['x64', 'X64'],
  ['arm64', 'ARM64'],
])('gives a runner on %s the usual labels as its own, so that a drain can take them', (architecture, label) => {
  const args = configArguments(config, registration, architecture);

  expect(args).toContain('--no-default-labels');
  expect(args.slice(-2)).toEqual([
    '--labels',
    `self-hosted,Linux,${label},instance_id:i-1,installation_id:runners,gpu`,
  ]);
});

it('never updates the runner by itself, replaces a runner of its name, and joins its group', () => {
  expect(configArguments({ ...config, runnerGroup: 'builders' }, registration)).toEqual(
    expect.arrayContaining([
      '--unattended',
      '--replace',
      '--disableupdate',
      '--runnergroup',
      'builders',
      '--name',
      'i-1',
    ]),
  );
});

it('silences the runner and nobody else, whole or not at all', () => {
  const rules = silenceRules('actions-runner');

  expect(rules).toMatch(/^table inet drover_drain\ndelete table inet drover_drain\ntable inet drover_drain \{/);
  expect(rules).toContain('meta skuid "actions-runner" counter reject');
});
