import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeDebs } from '../../../../scripts/release/debian/packages.ts';
import { UnconfiguredMachine } from './linux/unconfigured-machine.ts';

let machine: UnconfiguredMachine;

beforeAll(async () => {
  machine = await UnconfiguredMachine.boot();
});
afterAll(async () => await machine?.end());

describe('the host contract on a real machine', () => {
  it('the host contract on a real machine: every case holds', async () => {
    const outcomes = await machine.runHostContract();
    expect(outcomes.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
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
