import { expect } from 'vitest';
import {
  all,
  configured,
  ended,
  type On,
  outage,
  readJson,
  registered,
  remaining,
  tokenOf,
  usual,
} from './runner-bench.test-support.ts';

export function describeConfiguration(on: On): void {
  on(
    'config.sh on a fresh machine registers the runner, writes its files and ends with 0',
    async (bench) => {
      const { code, output } = await bench.config([...usual(bench), '--disableupdate'], tokenOf(bench));

      expect(output).toContain('√ Runner successfully added');
      expect(output).toContain('√ Settings Saved.');
      expect([code, remaining(bench)]).toEqual([0, all]);
      for (const name of ['.env', '.path', 'svc.sh']) expect(bench.read(name)).toBeDefined();
      expect(readJson(bench, '.runner')).toMatchObject({
        agentId: 1,
        agentName: 'runner',
        disableUpdate: true,
      });
      expect(registered(bench).map(({ name, session }) => [name, session])).toEqual([['runner', undefined]]);
    },
    'always',
  );

  for (const more of [[], ['--replace']])
    on(`config.sh ${more.join('')} refuses a machine that is configured, without a request`, async (bench) => {
      await configured(bench);
      const before = bench.read('.runner');
      outage(bench);
      const { code, output } = await bench.config([...usual(bench), ...more], tokenOf(bench));

      expect(output).toContain('Cannot configure the runner because it is already configured');
      expect([code, bench.read('.runner')]).toEqual([1, before]);
      expect(bench.engine.journal.entries.filter(({ kind }) => kind === 'fault')).toEqual([]);
    });

  on('config.sh ends with 1 when GitHub has a runner of the same name and it may not replace it', async (bench) => {
    await configured(bench);
    await bench.config(['remove', '--local']);
    const { code, output } = await bench.config(usual(bench), tokenOf(bench));

    expect(output).toContain('A runner exists with the same name');
    expect([code, remaining(bench)]).toEqual([1, ['.credentials_rsaparams']]);
  });

  on(
    'config.sh --replace takes the registration over: same id, other labels, and the credentials before are void',
    async (bench) => {
      await configured(bench, '--no-default-labels', '--labels', 'self-hosted,old');
      const before = readJson(bench, '.credentials');
      await bench.config(['remove', '--local']);
      const again = [...usual(bench), '--replace', '--no-default-labels', '--labels', 'self-hosted,new'];
      const { code, output } = await bench.config(again, tokenOf(bench));

      expect(output).toContain('√ Successfully replaced the runner');
      expect([code, registered(bench)[0]!.labels]).toEqual([0, ['self-hosted', 'new']]);
      expect(readJson(bench, '.runner')).toMatchObject({ agentId: 1 });
      bench.write('.credentials', JSON.stringify(before));
      const listener = bench.listen();
      await ended(bench, listener);
      expect([listener.exitCode(), remaining(bench)]).toEqual([1, all]);
    },
    'always',
  );

  on(
    'config.sh ends with 1 on a wrong token and writes nothing',
    async (bench) => {
      const { code, output } = await bench.config(usual(bench), { ACTIONS_RUNNER_INPUT_TOKEN: 'AWRONG' });

      expect(output).toMatch(/Http response code: NotFound from 'POST .*runner-registration'/);
      expect([code, remaining(bench), registered(bench)]).toEqual([1, [], []]);
    },
    'always',
  );

  on('config.sh ends with 1 when its address is not the one that the token was made for', async (bench) => {
    const elsewhere = ['--unattended', '--url', `${bench.url}/app`, '--name', 'runner'];
    const { code, output } = await bench.config(elsewhere, tokenOf(bench));

    expect([code, registered(bench)]).toEqual([1, []]);
    expect(output).toMatch(/Http response code: NotFound/);
  });

  on('config.sh takes the first of two equal options', async (bench) => {
    const { code } = await bench.config([...usual(bench), '--name', 'second'], tokenOf(bench));

    expect([code, registered(bench).map(({ name }) => name)]).toEqual([0, ['runner']]);
  });

  on('config.sh takes the token as an option too, and ends with 1 without one', async (bench) => {
    const without = await bench.config(usual(bench));
    const { token } = bench.host.registry.mintToken('registration');
    const given = await bench.config([...usual(bench), '--token', token]);

    expect([without.code, given.code]).toEqual([1, 0]);
    expect(without.output).toContain('Invalid configuration provided for token');
  });

  on(
    'config.sh ends with 1 when its version is below the minimum that GitHub registers',
    async (bench) => {
      bench.write('.version', '2.328.9\n');
      const { code, output } = await bench.config(usual(bench), tokenOf(bench));
      await bench.config(['remove', '--local']);
      bench.write('.version', '2.329.0\n');
      const newer = await bench.config(usual(bench), tokenOf(bench));

      expect([code, newer.code]).toEqual([1, 0]);
      expect(output).toContain('The minimum runner version required to register with GitHub Actions is now 2.329.0.');
    },
    { notOriginal: 'no build of it is that old' },
  );

  on('config.sh ends with 1 on an unknown group and on missing labels; its key stays', async (bench) => {
    const group = await bench.config([...usual(bench), '--runnergroup', 'nobody'], tokenOf(bench));
    const labels = await bench.config([...usual(bench), '--no-default-labels'], tokenOf(bench));

    expect([group.code, labels.code, remaining(bench)]).toEqual([1, 1, ['.credentials_rsaparams']]);
    expect(group.output).toContain('Could not find any self-hosted runner group named "nobody"');
  });

  on('config.sh drops every label when one has more than 256 characters, and goes on', async (bench) => {
    const labels = `self-hosted,${'x'.repeat(257)}`;
    const { code } = await bench.config([...usual(bench), '--labels', labels], tokenOf(bench));

    expect(code).toBe(0);
    expect(registered(bench)[0]!.labels.map((label) => label.toLowerCase())).toEqual(['self-hosted', 'linux', 'x64']);
  });

  on('config.sh keeps eleven variables of its environment in .env, but for those that are there', async (bench) => {
    const own = 'LANG JAVA_HOME ANT_HOME M2_HOME ANDROID_HOME ANDROID_SDK_ROOT GRADLE_HOME NVM_BIN NVM_PATH PERL5LIB';
    const names = [...own.split(' '), 'LD_LIBRARY_PATH'];
    const env = Object.fromEntries(names.map((name) => [name, name === 'LANG' ? 'C.UTF-8' : `/opt/${name}`]));
    bench.write('.env', 'JAVA_HOME=/before\n');
    const { code } = await bench.config(usual(bench), { ...tokenOf(bench), ...env, GRADLE: '/opt/gradle' });

    const kept = names.filter((name) => name !== 'JAVA_HOME').map((name) => `${name}=${env[name]}`);
    expect([code, bench.read('.env')!.trim().split('\n').toSorted()]).toEqual([
      0,
      [...kept, 'JAVA_HOME=/before'].toSorted(),
    ]);
  });

  on('config.sh takes options from the environment by their names, hyphens included', async (bench) => {
    const env = { 'ACTIONS_RUNNER_INPUT_NO-DEFAULT-LABELS': 'true', ACTIONS_RUNNER_INPUT_LABELS: 'only' };
    const { code } = await bench.config(usual(bench), { ...tokenOf(bench), ...env });

    expect([code, registered(bench)[0]!.labels]).toEqual([0, ['only']]);
  });

  on('config.sh complains of an unknown option and goes on', async (bench) => {
    const { code, output } = await bench.config([...usual(bench), '--speed', '1'], tokenOf(bench));

    expect([code, remaining(bench)]).toEqual([0, all]);
    expect(output).toContain("Unrecognized command-line input arguments for command configure: 'speed'");
  });

  on(
    'config.sh remove --local deletes the files only, and ends with 0 also when there are none',
    async (bench) => {
      await configured(bench);
      const first = await bench.config(['remove', '--local']);
      const second = await bench.config(['remove', '--local']);

      expect([first.code, second.code, remaining(bench)]).toEqual([0, 0, []]);
      expect(first.output).toContain('Removed .runner');
      expect(second.output).toContain('Does not exist. Skipping Removing .runner');
      expect(registered(bench)).toHaveLength(1);
    },
    'always',
  );

  on('config.sh remove without files says what is missing, and ends with 0', async (bench) => {
    const { code, output } = await bench.config(['remove', '--token', 'AANY']);

    expect(code).toBe(0);
    expect(output).toContain('Cannot connect to server, because config files are missing.');
    expect(output.match(/Does not exist\. Skipping Removing (\S+)/g)).toEqual([
      'Does not exist. Skipping Removing .credentials',
      'Does not exist. Skipping Removing .runner',
    ]);
  });

  on('config.sh remove --token deletes the registration at GitHub and the files', async (bench) => {
    await configured(bench);
    const { token } = bench.host.registry.mintToken('remove');
    const { code } = await bench.config(['remove', '--token', token]);

    expect([code, remaining(bench), registered(bench)]).toEqual([0, [], []]);
  });

  on('config.sh during an outage tries three times and ends with 1', async (bench) => {
    outage(bench);
    const { code } = await bench.config(usual(bench), tokenOf(bench));

    expect([code, remaining(bench)]).toEqual([1, []]);
    expect(bench.engine.journal.entries.filter(({ kind }) => kind === 'fault')).toHaveLength(3);
  });
}
