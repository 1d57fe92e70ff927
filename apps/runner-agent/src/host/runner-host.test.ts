import { describe, expect, it } from 'vitest';
import { classify, configArguments } from './configure.ts';
import { silenceRules } from './silence.ts';

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

it('config.sh never updates the runner by itself, replaces a runner of its name, and joins its group', () => {
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

describe('the silence of a listener', () => {
  const own = 'meta skuid "actions-runner"';

  it('the silence of a listener is loaded whole or not at all, and concerns no other user', () => {
    for (const stage of ['new-connections', 'requests'] as const) {
      const rules = silenceRules('actions-runner', stage);

      expect(rules).toMatch(/^table inet drover_drain\ndelete table inet drover_drain\ntable inet drover_drain \{/);
      expect(rules.match(/reject/g)).toHaveLength(rules.match(new RegExp(`${own}.*reject`, 'g'))!.length);
    }
  });

  it('the silence of a listener begins with new connections: what is under way can finish', () => {
    const rules = silenceRules('actions-runner', 'new-connections');

    expect(rules).toContain(`${own} tcp flags & (syn | ack) == syn counter reject`);
    expect(rules).not.toContain(`${own} counter reject`);
  });

  it('the silence of a listener goes on with its requests: acknowledgements of responses still pass', () => {
    expect(silenceRules('actions-runner', 'requests')).toMatch(
      /length <= 100 accept\n.*skuid "actions-runner" counter reject/,
    );
  });
});

describe('what config.sh says', () => {
  const token = 'AABBCC';
  const said = (stderr: string, exitCode = 1) => classify({ exitCode, stdout: '', stderr }, token);

  it.each([
    ['Cannot configure the runner because it is already configured.', 'host-failed', 'already-configured'],
    ["Libicu's dependencies is missing for Dotnet Core 6.0", 'host-failed', 'libraries-missing'],
    ["Http response code: NotFound from 'POST https://api.github.com/x'", 'platform-failed', 'token-refused'],
    ['Runner version v2.300.0 is deprecated and cannot receive messages.', 'platform-failed', 'version-too-old'],
    [
      'The minimum runner version required to register with GitHub Actions is now 2.329.0.\nPlease upgrade your runner.\nResponse status code does not indicate success: 404 (Not Found).',
      'platform-failed',
      'version-too-old',
    ],
    ['Could not find any self-hosted runner group named "x".', 'platform-failed', 'runner-group-unknown'],
    ['Name or service not known', 'platform-failed', 'unavailable'],
    ['', 'platform-failed', 'unavailable'],
  ])('config.sh is understood when it says: %s', (text, kind, reason) => {
    expect(said(text)).toMatchObject({ kind, reason });
  });

  it('config.sh never makes the token show in a message', () => {
    expect(said(`POST with ${token} failed`)).toMatchObject({ message: 'POST with [secret] failed' });
  });
});
