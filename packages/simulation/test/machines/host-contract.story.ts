import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeDebs } from '../../../../scripts/release/debian-packages.ts';
import { UnconfiguredMachine } from './linux/unconfigured-machine.ts';

interface Outcome {
  readonly title: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
}

let machine: UnconfiguredMachine;

beforeAll(async () => {
  machine = await UnconfiguredMachine.boot();
  const { root } = machine.container;
  const node = execFileSync(process.execPath, ['packages/constructs/src/boot/fetch-node.mjs', 'x86_64'], {
    encoding: 'utf8',
  });
  mkdirSync(join(root, 'opt/node'), { recursive: true });
  execFileSync('tar', [
    '--extract',
    '--gzip',
    `--file=${node.trim()}`,
    '--strip-components=1',
    `--directory=${root}/opt/node`,
  ]);
  await build({
    entryPoints: ['apps/runner-agent/test/machines/host-contract.ts'],
    outfile: join(root, 'opt/host-contract.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});
afterAll(async () => await machine?.end());

describe('the host contract on a real machine', () => {
  it('the host contract on a real machine: every case holds', async () => {
    const { stdout, stderr, exitCode } = await machine.container.execute('/opt/node/bin/node /opt/host-contract.mjs');
    console.log(stdout);
    const outcomes = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Outcome);
    expect(outcomes.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(outcomes.length).toBeGreaterThan(10);
  });
});

describe('the packages for Debian on a real machine', () => {
  it('dpkg installs the packages on Debian 12, and cluster-cli and runner-agent run on the Node that comes with them', async () => {
    writeDebs(join(machine.container.root, 'opt/debs'), ['amd64']);
    await machine.run('dpkg --install /opt/debs/*.deb');
    expect(await machine.run('cluster-cli --version')).toMatch(/\d+\.\d+\.\d+/);
    expect(await machine.run('runner-agent --help')).toContain('runner-agent');
  });
});
