import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FleetProps } from '@drover/stage/fleet-template';
import { afterEach, describe, expect, it } from 'vitest';
import { LinuxFleet } from './linux/linux-fleet.ts';

let fleet: LinuxFleet | undefined;
afterEach(async () => await fleet?.end());

const failures: readonly { readonly what: string; readonly inputs: FleetProps; readonly reason: RegExp }[] = [
  {
    what: 'a wrong checksum of the runner',
    inputs: { runnerChecksum: 'f'.repeat(64) },
    reason: /has the SHA-256 [0-9a-f]{64}, expected is f{64}/,
  },
  { what: 'a package that does not exist', inputs: { packages: ['no-such-package'] }, reason: /no-such-package/ },
  {
    what: 'a missing file of Puppet data',
    inputs: { puppetHieraConfigPath: '/opt/drover/puppet/missing.yaml' },
    reason: /missing\.yaml does not exist/,
  },
];

describe('a boot that fails', () => {
  it.each(failures)('a launch with $what is abandoned, and its log says why', async ({ inputs, reason }) => {
    fleet = await LinuxFleet.deploy(inputs, { unfinished: true });
    await fleet.untilSeconds('an instance runs', () => fleet!.running.length > 0, 120);
    const id = fleet.running[0]!;
    await fleet.untilSeconds('its launch is given up', () => /^(Terminating|gone)/.test(fleet!.stateOf(id)), 180);
    expect(fleet.fleet.codeHost.registry.runners).toEqual([]);
    // Its disk, which is there also when the instance is gone, as its volume would be.
    const log = readFileSync(join(fleet.cloud.folder, id, 'disk/upper/var/log/cloud-init-output.log'), 'utf8');
    expect(log).toMatch(reason);
    expect(log).toContain('giving this launch up');
  });
});
