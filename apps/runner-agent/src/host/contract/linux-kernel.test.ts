import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { processesOf } from '../linux-kernel.ts';
import { hostContract, skipReason } from './host-contract.test-support.ts';
import { linuxRig } from './linux-rig.test-support.ts';

describe('the host contract on this Linux', () => {
  const rig = linuxRig({ system: false, user: 'nobody' });
  afterAll(() => rig.kernel.remove(rig.config.runnerDirectory));

  for (const each of hostContract) {
    const because = skipReason(each, rig);
    if (because === undefined)
      it(`on Linux ${each.title}`, async () => {
        await each.run(rig);
        await rig.reset();
      });
    else it.skip(`on Linux ${each.title} (skipped: ${because})`);
  }
});

describe('the process table', () => {
  /** A folder as /proc has it for one process. */
  function process(proc: string, pid: number, entry: { argv: string[]; uid: number; parent: number; cgroup: string }) {
    const folder = join(proc, String(pid));
    mkdirSync(folder);
    writeFileSync(join(folder, 'cmdline'), entry.argv.map((each) => `${each}\0`).join(''));
    writeFileSync(join(folder, 'status'), `Name:\tx\nPPid:\t${entry.parent}\nUid:\t${entry.uid}\t${entry.uid}\t0\t0\n`);
    writeFileSync(join(folder, 'cgroup'), entry.cgroup);
  }

  it('the process table gives user, unit and parent of the processes of a program', () => {
    const proc = mkdtempSync(join(tmpdir(), 'drover-proc-'));
    const passwd = join(proc, 'passwd');
    writeFileSync(passwd, 'root:x:0:0::/root:/bin/sh\nactions-runner:x:998:998::/home:/bin/sh\n');
    const cgroup = '0::/system.slice/actions-runner.service\n';
    process(proc, 41, { argv: ['/opt/x/bin/Runner.Worker', 'spawnclient'], uid: 998, parent: 40, cgroup });
    process(proc, 42, { argv: ['/bin/Runner.Worker'], uid: 7, parent: 1, cgroup: '1:name=systemd:/user.slice\n' });
    process(proc, 43, { argv: ['/bin/sh', '/x/Runner.Worker'], uid: 0, parent: 1, cgroup });

    expect(processesOf('Runner.Worker', proc, passwd)).toEqual([
      {
        pid: 41,
        parentPid: 40,
        user: 'actions-runner',
        unit: 'actions-runner',
        argv: ['/opt/x/bin/Runner.Worker', 'spawnclient'],
      },
      { pid: 42, parentPid: 1, user: '7', unit: undefined, argv: ['/bin/Runner.Worker'] },
    ]);
  });
});
