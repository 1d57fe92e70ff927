import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { Secret } from '@drover/core';
import { runnerService } from '@drover/core/names/runner-fleet';
import type { JournalLine } from '../kernel.ts';
import { type ContractCase, hostOf, listen } from './host-rig.test-support.ts';

/** Files, journals, commands and time. */
export const kernelCases: readonly ContractCase[] = [
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
    title: "a job's replacement for a file does not hold up its reader, and is no file",
    needs: [],
    run: async (rig) => {
      const { kernel, config } = rig;
      const path = `${config.runnerDirectory}/.runner`;
      const nothing = { lines: [], offset: 0, skippedBytes: 0 };
      const isNone = () => {
        deepStrictEqual(kernel.readFile(path), undefined);
        deepStrictEqual(kernel.readAppended(path, 0), nothing);
        deepStrictEqual(hostOf(rig).isConfigured(), false);
        kernel.remove(path);
      };
      rig.plantFifo(path);
      isNone();
      for (const to of ['/dev/zero', '/dev/stdin', '/etc/passwd']) {
        rig.plantLink?.(path, to);
        isNone();
      }
      kernel.writeFile(path, '{}');
      deepStrictEqual(hostOf(rig).isConfigured(), true);
      kernel.remove(path);
    },
  },
  {
    title: 'lines that are appended to a file are read once and whole, and again when the file is replaced',
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
    title: 'lines of a listener are known by its process, whatever name a process of its job takes',
    needs: ['units'],
    run: async (rig) => {
      const words = { listener: 'said by the listener', job: 'said by a job', jobTag: 'runner-hook' };
      await listen(rig, { words });
      const read = async (looks = 0): Promise<readonly JournalLine[]> => {
        const { lines } = await rig.kernel.journal([runnerService], undefined);
        const said = lines.filter(({ text }) => text === words.listener || text === words.job);
        if (said.length >= 2 || looks > 50) return said.toSorted((a, b) => (a.text < b.text ? -1 : 1));
        await rig.clock.sleep(100);
        return await read(looks + 1);
      };
      deepStrictEqual(
        (await read()).map(({ text, unit, tag, root, main }) => ({
          text,
          unit,
          hook: tag === words.jobTag,
          root,
          main,
        })),
        [
          { text: words.job, unit: runnerService, hook: true, root: false, main: false },
          { text: words.listener, unit: runnerService, hook: false, root: false, main: true },
        ],
      );
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
        environment: { ACTIONS_RUNNER_INPUT_TOKEN: new Secret('registration-token') },
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
