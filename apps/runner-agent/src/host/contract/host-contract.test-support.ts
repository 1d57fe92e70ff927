import { deepStrictEqual, match, ok, rejects } from 'node:assert/strict';
import { type Clock, Secret } from '@drover/core';
import { runnerService } from '@drover/core/names/runner-fleet';
import type { AgentConfig } from '../../config.ts';
import { cleanUp, cleanUpBelowBytes } from '../clean-up.ts';
import type { Kernel } from '../kernel.ts';
import { bootFiles, runnerHost } from '../runner-host.ts';

/** What the unit `actions-runner` of a case does. */
export type UnitBehaviour =
  | { readonly kind: 'exits'; readonly status: number; readonly says?: string }
  /**
   * A listener that ends with 0 on SIGINT and counts how often it got it. With `worker` it has a Worker; with `stray` its job has
   * left a process behind that calls itself a Worker.
   */
  | { readonly kind: 'listens'; readonly worker?: boolean; readonly stray?: boolean };

/** A kernel on which the contract runs, and the means to bring about what it is asked about. */
export interface HostRig {
  readonly kernel: Kernel;
  readonly clock: Clock;
  /** A folder and a user of its own. */
  readonly config: AgentConfig;
  /** What this system cannot do here, and why: such cases are skipped. */
  readonly lacks: Readonly<Partial<Record<Need, string>>>;
  defineRunnerUnit(behaviour: UnitBehaviour): Promise<void>;
  killListener(): void;
  /** How many SIGINT the listeners of this rig have got. */
  interrupts(): number;
  /** `config.sh` that refuses a configured runner and prints whether it has its token. */
  installConfigScript(): void;
  /** Where files have owners. */
  ownerOf?(path: string): string;
  plantLink?(path: string, to: string): void;
  /** Need `disk`. */
  setFreeBytes(bytes: number): void;
  /** Ends everything that a case has started, and removes what it wrote. */
  reset(): Promise<void>;
}

/** systemd; nftables; the right to become another user; free space that can be set; a system whose own folders may be written. */
export type Need = 'units' | 'firewall' | 'users' | 'disk' | 'system';

export interface ContractCase {
  readonly title: string;
  readonly needs: readonly Need[];
  run(rig: HostRig): Promise<void>;
}

const registration = { token: new Secret('registration-token'), name: 'i-0123456789abcdef0', labels: ['gpu'] };
const hostOf = ({ kernel, config }: HostRig) => runnerHost(kernel, config);

/** Looks until it is so, for at most ten seconds. */
async function until({ clock }: HostRig, what: string, reached: () => boolean): Promise<void> {
  for (let looks = 0; !reached(); looks++) {
    ok(looks < 100, `not within ten seconds: ${what}`);
    await clock.sleep(100);
  }
}

async function listen(rig: HostRig, behaviour: Omit<UnitBehaviour & { kind: 'listens' }, 'kind'> = {}) {
  await rig.defineRunnerUnit({ kind: 'listens', ...behaviour });
  await hostOf(rig).startService();
  await until(rig, 'the listener runs', () => rig.kernel.processesOf('Runner.Listener').length > 0);
  if (behaviour.worker || behaviour.stray)
    await until(rig, 'its processes run', () => rig.kernel.processesOf('Runner.Worker').length > 0);
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const sayings = [
  ['Failed to create a session. The runner registration has been deleted from the server, please re-configure.', true],
  ['√ Connected to GitHub', false],
] as const;

const exitCodes = [0, 1, 2, 3, 5, 7];

/** What the agent relies on, on every kernel. */
export const hostContract: readonly ContractCase[] = [
  {
    title: 'a unit that does not exist is inactive and has no end',
    needs: ['units'],
    run: async ({ kernel }) => {
      const { activeState, lastEnd } = kernel.unit('drover-no-such-unit');
      deepStrictEqual({ activeState, lastEnd }, { activeState: 'inactive', lastEnd: undefined });
    },
  },
  {
    title: 'a listener that runs is active',
    needs: ['units'],
    run: async (rig) => {
      await listen(rig);
      deepStrictEqual(hostOf(rig).service(), { active: true, lastEnd: undefined });
    },
  },
  ...exitCodes.map(
    (status): ContractCase => ({
      title: `the exit code ${status} of a listener is seen, and nothing starts it again`,
      needs: ['units'],
      run: async (rig) => {
        await rig.defineRunnerUnit({ kind: 'exits', status });
        await hostOf(rig).startService();
        await until(rig, 'it ended', () => !hostOf(rig).service().active);
        await rig.clock.sleep(500);
        const { active, lastEnd } = hostOf(rig).service();
        ok(!active);
        if (status !== 0 || lastEnd !== undefined) deepStrictEqual(lastEnd, { by: 'exit', status });
      },
    }),
  ),
  {
    title: 'a listener that is killed leaves its Worker, which still counts',
    needs: ['units'],
    run: async (rig) => {
      await listen(rig, { worker: true });
      deepStrictEqual(hostOf(rig).workers(), 1);
      rig.killListener();
      await until(rig, 'it ended', () => !hostOf(rig).service().active);
      deepStrictEqual(hostOf(rig).service().lastEnd, { by: 'signal', status: 9 });
      deepStrictEqual(hostOf(rig).workers(), 1);
    },
  },
  {
    title: 'a process that a job left behind under the name of a Worker does not count',
    needs: ['units'],
    run: async (rig) => {
      await listen(rig, { stray: true });
      ok(rig.kernel.processesOf('Runner.Worker').length > 0);
      deepStrictEqual(hostOf(rig).workers(), 0);
    },
  },
  {
    title: 'a process knows its user, its unit and its parent',
    needs: ['units'],
    run: async (rig) => {
      await listen(rig, { worker: true });
      const [listener] = rig.kernel.processesOf('Runner.Listener');
      const [worker] = rig.kernel.processesOf('Runner.Worker');
      const { user, unit, parentPid } = worker!;
      deepStrictEqual(
        { user, unit, parentPid },
        { user: rig.config.runnerUser, unit: runnerService, parentPid: listener!.pid },
      );
    },
  },
  {
    title: 'a stop interrupts the listener once and ends it with code 0',
    needs: ['units'],
    run: async (rig) => {
      await listen(rig);
      await hostOf(rig).stopService();
      deepStrictEqual(rig.interrupts(), 1);
      deepStrictEqual(hostOf(rig).service().active, false);
    },
  },
  {
    title: 'a service that ended can be started again',
    needs: ['units'],
    run: async (rig) => {
      await listen(rig);
      await hostOf(rig).stopService();
      await hostOf(rig).startService();
      await until(rig, 'it runs again', () => hostOf(rig).service().active);
    },
  },
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
    title: 'a just-in-time configuration becomes files of the user who runs jobs, whatever link is in their place',
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
  {
    title: 'files are written, read, listed and removed with their folders',
    needs: [],
    run: async ({ kernel, config: { runnerDirectory } }) => {
      const folder = `${runnerDirectory}/a`;
      deepStrictEqual(kernel.readFile(`${folder}/b/c`), undefined);
      deepStrictEqual(kernel.list(folder), []);
      kernel.writeFile(`${folder}/b/c`, 'text');
      kernel.writeFile(`${folder}/d`, '');
      deepStrictEqual(kernel.readFile(`${folder}/b/c`), 'text');
      deepStrictEqual(
        kernel
          .list(folder)
          .map(({ name }) => name)
          .sort(),
        ['b', 'd'],
      );
      kernel.remove(folder);
      kernel.remove(folder);
      deepStrictEqual(kernel.list(folder), []);
    },
  },
  {
    title: 'lines that are appended to a file are read once and whole, and anew when the file is replaced',
    needs: [],
    run: async ({ kernel, config: { runnerDirectory } }) => {
      const path = `${runnerDirectory}/some.log`;
      const nothing = { lines: [], offset: 0, skippedBytes: 0 };
      deepStrictEqual(kernel.readAppended(path, 0), nothing);
      kernel.writeFile(path, 'one\ntwo\nhal');
      const first = kernel.readAppended(path, 0);
      deepStrictEqual(first, { lines: ['one', 'two'], offset: 8, skippedBytes: 0 });
      kernel.writeFile(path, 'one\ntwo\nhalf\n');
      deepStrictEqual(kernel.readAppended(path, first.offset).lines, ['half']);
      deepStrictEqual(kernel.readAppended(path, 13).lines, []);
      kernel.writeFile(path, 'new\n');
      deepStrictEqual(kernel.readAppended(path, 13).lines, ['new']);
      kernel.remove(path);
    },
  },
  {
    title: 'the journal of a unit is read from where the last page ended',
    needs: ['units'],
    run: async (rig) => {
      await listen(rig);
      const first = await rig.kernel.journal([runnerService], undefined);
      ok(first.lines.every(({ unit }) => unit === runnerService));
      const { lines } = await rig.kernel.journal([runnerService], first.cursor);
      deepStrictEqual(lines, []);
    },
  },
  {
    title: 'free space is known',
    needs: [],
    run: async ({ kernel, config }) => ok(kernel.freeBytes(config.runnerDirectory) > 0),
  },
  {
    title: 'a command gets its environment, and its output and exit code come back',
    needs: ['users'],
    run: async (rig) => {
      rig.installConfigScript();
      const { runnerDirectory: cwd, runnerUser: user } = rig.config;
      const command = { file: './config.sh', args: ['--name', 'two words'], user, cwd, timeoutMs: 10_000 };
      const first = await rig.kernel.run({
        ...command,
        environment: { ACTIONS_RUNNER_INPUT_TOKEN: registration.token },
      });
      deepStrictEqual(first.exitCode, 0);
      match(first.stdout, /name: two words, token: 18 characters/);
      const second = await rig.kernel.run(command);
      deepStrictEqual(second.exitCode, 1);
      match(second.stderr, /already configured/);
    },
  },
  {
    title: 'a command that does not exist ends with 127',
    needs: [],
    run: async ({ kernel }) => {
      const { exitCode } = await kernel.run({ file: 'drover-no-such-command', args: [], timeoutMs: 10_000 });
      deepStrictEqual(exitCode, 127);
    },
  },
  {
    title: 'a command that takes too long is killed',
    needs: [],
    run: async ({ kernel, clock }) => {
      const began = clock.now();
      const { exitCode } = await kernel.run({ file: 'sleep', args: ['60'], timeoutMs: 300 });
      deepStrictEqual(exitCode, 137);
      ok(clock.now() - began < 30_000);
    },
  },
  {
    title: 'a pause ends after its time',
    needs: [],
    run: async ({ kernel, clock }) => {
      const began = clock.now();
      await kernel.pause(50, () => false);
      ok(clock.now() - began >= 49);
    },
  },
];

/** Why a case is not run on this rig; undefined when it is. */
export const skipReason = ({ needs }: ContractCase, { lacks }: HostRig): string | undefined =>
  needs.map((need) => lacks[need]).find((reason) => reason !== undefined);

export interface CaseOutcome {
  readonly title: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped. */
  readonly because?: string;
}

/** Runs every case on one kernel and tells how each went; returns whether none failed. Needs no test framework. */
export async function runHostContract(rig: HostRig, report: (outcome: CaseOutcome) => void): Promise<boolean> {
  let failures = 0;
  for (const each of hostContract) {
    const { title } = each;
    const because = skipReason(each, rig);
    if (because !== undefined) {
      report({ title, outcome: 'skipped', because });
      continue;
    }
    try {
      await each.run(rig);
      report({ title, outcome: 'passed' });
    } catch (error) {
      failures += 1;
      report({ title, outcome: 'failed', because: (error as Error).message });
    } finally {
      await rig.reset();
    }
  }
  return failures === 0;
}
