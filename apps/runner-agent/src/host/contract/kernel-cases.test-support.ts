import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { Secret } from '@drover/core';
import { runnerService } from '@drover/core/names/runner-fleet';
import { type ContractCase, listen } from './host-rig.test-support.ts';

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
