import { expect, it } from 'vitest';
import type { Kernel } from './kernel.ts';
import { findFlaw } from './self-check.ts';

const place = { runnerDirectory: '/opt/actions-runner', runnerUser: 'actions-runner', ephemeral: false };
const sound = { write: 0, worker: 1 };

it.each([
  ['a sound host', sound, undefined],
  ['a host on which nothing can be written', { ...sound, write: 1 }, 'workspace-not-writable'],
  ['a host on which a Worker aborts', { ...sound, worker: 134 }, 'worker-does-not-start'],
  ['a host whose look the next job kills while it writes', { ...sound, write: 137 }, undefined],
  ['a host whose look the next job kills while a Worker starts', { ...sound, worker: 137 }, undefined],
])('the flaw of %s', async (_host, codes, flaw) => {
  const kernel = {
    readFile: () => undefined,
    list: () => [],
    freeBytes: () => 2 ** 40,
    run: async ({ file }: { file: string }) => ({ exitCode: file === 'bash' ? codes.write : codes.worker }),
  } as unknown as Kernel;

  expect(await findFlaw(kernel, place)).toBe(flaw);
});
