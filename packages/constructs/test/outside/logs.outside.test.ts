import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';
import { BootingInstance } from './booting-instance.ts';
import { ScratchRoot } from './scratch-root.ts';
import { smallNode } from './small-node.ts';

const cloudInit = outsideClient('python3', 'apt-get install cloud-init', { probe: ['-c', 'import cloudinit.util'] });
const puppet = outsideClient('puppet', 'apt-get install puppet');
/** A namespace has a /var/log of its own, and no user but root. */
const unshare = outsideClient('unshare', 'allow user namespaces', {
  probe: ['-rm', 'mount', '-t', 'tmpfs', 'none', '/var/log'],
});
const missing = [cloudInit, puppet, unshare].find((client) => client.missing);

/** cloud-init's handling of its stages' output, by its own code: only the commands are given. */
const finalStage = `
import os, sys
from cloudinit import util
util.fixup_output(util.load_yaml(open(sys.argv[1]).read()), 'final')
sys.exit(os.system(sys.argv[2]) != 0)`;

describe.skipIf(missing)(`the logs of an instance of the embedded cloud ${missing?.reason ?? ''}`, () => {
  const instance = new BootingInstance();
  const scratch = new ScratchRoot();
  beforeAll(() => instance.launch());
  afterAll(async () => {
    await instance.close();
    scratch.remove();
  });
  beforeEach(() =>
    scratch.writeData({
      'drover_runner::checksum': scratch.runnerChecksum,
      'drover_node::owner': 'root',
      'drover_node::group': 'root',
      'drover_runner::user': 'root',
    }),
  );

  const file = (name: string, line: string) => {
    writeFileSync(join(instance.folder, name), `${line}\n`);
    return join(instance.folder, name);
  };

  /** Runs the boot script as the last stage of cloud-init; returns the contents of the two logs. */
  const boot = async (hiera: string) => {
    const puppetFacts = {
      hiera_config: hiera,
      module_path: join(instance.home, 'puppet/modules'),
      manifest: join(instance.home, 'puppet/manifests/site.pp'),
    };
    instance.writeFacts({ software: smallNode(instance), puppet: puppetFacts });
    const userData = join(instance.folder, 'user-data');
    writeFileSync(userData, instance.world.machines.get(instance.instanceId)!.instance.userData);
    const command = `python3 ${instance.script} ${instance.facts}`;
    const steps = [
      'for place in /var/log /var/cache /var/lib/puppet /etc/puppet /run; do [ ! -d $place ] || mount -t tmpfs none $place; done',
      `mount --bind ${file('passwd', 'root:x:0:0:root:/root:/bin/sh')} /etc/passwd`,
      `mount --bind ${file('group', 'root:x:0:')} /etc/group`,
      `{ ${cloudInit.path} -c "$1" ${userData} "${command}"; code=$?; }`,
      `cp /var/log/*.log ${instance.folder}`,
      'exit $code',
    ];
    const { code, said } = await instance.run(unshare.path, ['-rm', 'sh', '-c', steps.join('; '), 'sh', finalStage]);
    const log = (name: string) => {
      const file = join(instance.folder, name);
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    };
    return { code, said, startUp: log('cloud-init-output.log'), agent: log('puppet.log') };
  };

  it('the start-up is logged in /var/log/cloud-init-output.log, the run of Puppet in /var/log/puppet.log', async () => {
    const { code, said, startUp, agent } = await boot(scratch.hiera);

    expect(code, said).toBe(0);
    expect(startUp).toContain('is installed');
    expect(startUp).toContain('Applied catalog');
    expect(agent).toContain('Applied catalog');
  });

  it('both logs of an instance say why Puppet fails when its Hiera file is not found', async () => {
    const { code, startUp, agent } = await boot('/opt/my-data/hiera.yaml');

    expect(code).toBe(1);
    for (const log of [startUp, agent]) expect(log).toContain('/opt/my-data/hiera.yaml does not exist');
    expect(startUp).toContain('giving this launch up');
  });
});
