import { instanceTypes } from '@drover/cloud-aws';
import type { BootProgram, MachineView } from '@drover/cloud-machines';
import { searchDelays } from '../search-delays.ts';
import { bootCommand } from './boot-command.ts';
import { readCloudConfig, runCloudConfig } from './cloud-init.ts';
import { BootFailure, type SearchMachineHost } from './machine-host.ts';
import { defineUnitCommands, startUnit } from './units.ts';

const packagesMs = searchDelays.packages;
/** Units that Puppet enables: they start again with the machine. */
const enabled = [
  'elasticsearch',
  'prometheus-node-exporter',
  'prometheus-elasticsearch-exporter',
  'drover-configure.timer',
  'drover-settle.timer',
  'drover-commission.service',
];

/**
 * A search instance as its image and its user data make it: cloud-init's steps one by one, the boot script's effects, the
 * real command, and of Puppet what its compiled catalog says. Later boots start what was enabled.
 */
export function searchMachine(host: SearchMachineHost): BootProgram {
  return async (context) => {
    const { machine } = context;
    describeHardware(machine);
    defineUnitCommands(host, machine);
    if (machine.bootCount > 1) return startAgain(host, machine);
    machine.defineCommand('python3', bootCommand(host));
    try {
      return await runCloudConfig(machine, readCloudConfig(machine.instance.userData), async (packages) => {
        if (!packages.includes('puppet')) throw new BootFailure('puppet is not among the packages');
        await context.clock.sleep(context.random.int(packagesMs.least, packagesMs.most));
      });
    } catch (error) {
      if (!(error instanceof BootFailure)) throw error;
      context.log(`cloud-init: ${error.message}`);
      return 1;
    }
  };
}

function describeHardware({ files, instance }: MachineView): void {
  const memoryMiB = instanceTypes.get(instance.instanceType)?.memoryMiB;
  if (memoryMiB === undefined) throw new Error(`instance type ${instance.instanceType} is not known`);
  // The kernel keeps a part for itself.
  files.set('/proc/meminfo', `MemTotal: ${Math.floor(memoryMiB * 1024 * 0.97)} kB\n`);
}

function startAgain(host: SearchMachineHost, machine: MachineView): number {
  const known = (name: string) => machine.serviceState(name.replace(/\.service$/, '')) !== 'unknown';
  for (const name of enabled.filter(known)) void startUnit(host, machine, name);
  return 0;
}
