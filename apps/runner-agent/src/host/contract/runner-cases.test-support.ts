import { deepStrictEqual, ok, rejects } from 'node:assert/strict';
import { Secret } from '@drover/core';
import { cleanUp, cleanUpBelowBytes } from '../clean-up.ts';
import { bootFiles, runnerHost } from '../runner-host.ts';
import { type ContractCase, hostOf, until } from './host-rig.test-support.ts';

const registration = { token: new Secret('registration-token'), name: 'i-0123456789abcdef0', labels: ['gpu'] };
const base64 = (text: string) => Buffer.from(text).toString('base64');
const sayings = [
  ['Failed to create a session. The runner registration has been deleted from the server, please re-configure.', true],
  ['√ Connected to GitHub', false],
] as const;

/** Registration, boot, disk and firewall: what the agent does with a host. */
export const runnerCases: readonly ContractCase[] = [
  {
    title: 'a second registration succeeds although config.sh refuses a configured runner',
    needs: ['users'],
    run: async (rig) => {
      rig.installConfigScript();
      const host = hostOf(rig);
      deepStrictEqual(await host.configureRunner(registration), { kind: 'configured' });
      ok(host.isConfigured());
      deepStrictEqual(await host.configureRunner(registration), { kind: 'configured' });
    },
  },
  {
    title: 'a just-in-time configuration becomes files of the user who runs jobs, even if a link has their name',
    needs: ['users'],
    run: async (rig) => {
      rig.installConfigScript();
      const config = { ...rig.config, ephemeral: true };
      const host = runnerHost(rig.kernel, config);
      const jit = (content: unknown) => ({ ...registration, token: new Secret(base64(JSON.stringify(content))) });
      const files = { '.runner': base64('{"ephemeral":true}'), '.credentials': base64('{}') };
      const victim = `${config.runnerDirectory}/victim`;
      rig.kernel.writeFile(victim, 'root');
      rig.plantLink?.(`${config.runnerDirectory}/.credentials`, victim);

      deepStrictEqual(await host.configureRunner(jit(files)), { kind: 'configured' });

      ok(host.isConfigured());
      deepStrictEqual(rig.kernel.readFile(victim), 'root');
      deepStrictEqual(rig.kernel.readFile(`${config.runnerDirectory}/.runner`), '{"ephemeral":true}');
      if (rig.ownerOf !== undefined)
        deepStrictEqual(rig.ownerOf(`${config.runnerDirectory}/.runner`), config.runnerUser);
      for (const broken of [{ ...files, '../x': base64('') }, { '.runner': base64('{}') }, 'text']) {
        const { kind } = await host.configureRunner(jit(broken));
        deepStrictEqual(kind, 'platform-failed');
        ok(!host.isConfigured());
      }
    },
  },
  {
    title: 'a host finds out what keeps jobs from beginning on it, and is sound otherwise',
    needs: ['system', 'users'],
    run: async (rig) => {
      rig.installConfigScript();
      const host = hostOf(rig);
      const { runnerDirectory: root, runnerUser } = rig.config;
      await host.configureRunner(registration);
      deepStrictEqual(await host.findFlaw(), undefined);
      const configuration = rig.kernel.readFile(`${root}/.runner`)!;
      rig.kernel.remove(`${root}/.runner`);
      deepStrictEqual(await host.findFlaw(), 'configuration-changed');
      rig.kernel.writeFile(`${root}/.runner`, configuration, runnerUser);
      rig.kernel.remove(`${root}/_work`);
      rig.kernel.writeFile(`${root}/_work`, 'no folder');
      deepStrictEqual(await host.findFlaw(), 'workspace-not-writable');
      rig.kernel.remove(`${root}/_work`);
      rig.kernel.remove(`${root}/bin/Runner.Worker`);
      deepStrictEqual(await host.findFlaw(), 'programs-changed');
    },
  },
  {
    title: 'how far a runner has come is kept, and a listener that found its registration deleted is heard',
    needs: ['system', 'units'],
    run: async (rig) => {
      const host = hostOf(rig);
      deepStrictEqual(host.life(), undefined);
      for (const life of ['started', 'served'] as const) {
        host.noteLife(life);
        deepStrictEqual(hostOf(rig).life(), life);
      }
      for (const [says, deleted] of sayings) {
        await rig.defineRunnerUnit({ kind: 'exits', status: 1, says });
        await host.startService();
        await until(rig, 'it ended', () => !host.service().active);
        let heard = false;
        for (let looks = 0; looks < 20 && heard !== deleted; looks++) {
          heard = await host.registrationDeleted();
          if (heard !== deleted) await rig.clock.sleep(100);
        }
        deepStrictEqual(heard, deleted);
      }
    },
  },
  {
    title: 'a job that the listener has begun is heard of it alone, not of a process of a job that says the same',
    needs: ['units'],
    run: async (rig) => {
      const [begun, idle] = ['2026-11-17 08:38:38Z: Running job: build', '2026-11-17 08:38:34Z: Listening for Jobs'];
      for (const [listener, job, heard] of [
        [idle, begun, false],
        [begun, 'Job build completed with result: Succeeded', true],
      ] as const) {
        await rig.defineRunnerUnit({ kind: 'listens', words: { listener, job, jobTag: 'actions-runner' } });
        const host = hostOf(rig);
        await host.startService();
        const both = async () => {
          const { lines } = await rig.kernel.journal(['actions-runner'], undefined);
          return lines.filter(({ text }) => text === listener || text === job).length >= 2;
        };
        for (let looks = 0; looks < 50 && !(await both()); looks++) await rig.clock.sleep(100);
        deepStrictEqual((await host.jobBegunAt()) !== undefined, heard);
        await host.stopService();
      }
    },
  },
  {
    title: 'a host without the runner software is unfit',
    needs: [],
    run: async (rig) => {
      const outcome = await hostOf(rig).configureRunner(registration);
      deepStrictEqual({ ...outcome, message: '' }, { kind: 'host-failed', reason: 'software-missing', message: '' });
    },
  },
  {
    title: 'a host with a full disk is unfit',
    needs: ['disk'],
    run: async (rig) => {
      rig.installConfigScript();
      rig.setFreeBytes(1);
      const outcome = await hostOf(rig).configureRunner(registration);
      deepStrictEqual({ ...outcome, message: '' }, { kind: 'host-failed', reason: 'disk-full', message: '' });
    },
  },
  {
    title: 'clean-up removes the workspaces of repositories, and only when the disk is nearly full',
    needs: ['disk'],
    run: async (rig) => {
      const work = `${rig.config.runnerDirectory}/_work`;
      const names = () =>
        rig.kernel
          .list(work)
          .map(({ name }) => name)
          .sort();
      rig.kernel.writeFile(`${work}/repository/repository/file`, '');
      rig.kernel.writeFile(`${work}/_tool/node`, '');
      await cleanUp(rig.kernel, rig.clock, rig.config);
      deepStrictEqual(names(), ['_tool', 'repository']);
      rig.setFreeBytes(cleanUpBelowBytes - 1);
      await cleanUp(rig.kernel, rig.clock, rig.config);
      deepStrictEqual(names(), ['_tool']);
    },
  },
  {
    title: 'a listener can be silenced in stages, twice each, and let back',
    needs: ['firewall'],
    run: async (rig) => {
      const host = hostOf(rig);
      for (const stage of ['new-connections', 'new-connections', 'requests', 'requests', 'off', 'off'] as const) {
        await host.silence(stage);
        deepStrictEqual(host.silenced(), stage);
      }
    },
  },
  {
    title: 'a firewall script that is not understood is an error',
    needs: ['firewall'],
    run: async ({ kernel }) => await rejects(kernel.loadFirewall('no such rule')),
  },
  {
    title: 'the boot is over when cloud-init says so, one way or the other',
    needs: ['system'],
    run: async (rig) => {
      const host = hostOf(rig);
      deepStrictEqual(host.boot(), 'running');
      rig.kernel.writeFile(bootFiles.done, '');
      deepStrictEqual(host.boot(), 'done');
      rig.kernel.writeFile(bootFiles.failed, '');
      deepStrictEqual(host.boot(), 'failed');
    },
  },
];
