import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { checkOwnFiles } from '../../../packages/local/src/synth/own-files.ts';
import { droverAlone } from './memory-io.test-support.ts';

const folder = mkdtempSync(join(tmpdir(), 'drover-example-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['local', 'fleet', 'examples/runner-fleet/fleet.yaml'],
  ['local', 'cluster', 'examples/search-cluster/cluster.yaml'],
  ['synth', 'cluster', 'examples/search-cluster/cluster.yaml'],
  ['what-if', 'fleet', 'examples/runner-fleet/fleet.yaml'],
])('drover %s --print-example %s prints a file that the command accepts', async (command, kind, example) => {
  const { exitCode, stdout, stderr } = await droverAlone(command, '--print-example', kind);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toBe(readFileSync(example, 'utf8'));
  const file = join(folder, `${command}-${kind}.yaml`);
  writeFileSync(file, stdout);
  await checkOwnFiles({ [kind]: file });
});

it('drover synth without a file says how to get one', async () => {
  const { exitCode, stderr } = await droverAlone('synth');
  expect(exitCode).toBe(1);
  expect(stderr).toBe('drover: which file?; drover synth --print-example fleet > fleet.yaml writes one\n');
});
