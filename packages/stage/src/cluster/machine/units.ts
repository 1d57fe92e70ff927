import type { MachineView, Program } from '@drover/cloud-machines';
import { defineUnit } from '../../unit-file.ts';
import { elasticsearchService } from './elasticsearch-service.ts';
import type { SearchMachineHost } from './machine-host.ts';

const unitFolder = '/etc/systemd/system/';
/** The cron table that the configuration of a node writes. */
export const cronTable = '/etc/cron.d/drover-search';

/** Of the package's unit what matters to its processes: it waits for the end of Elasticsearch, however long that takes. */
const elasticsearchUnit = `[Service]
Type=notify
KillMode=process
SuccessExitStatus=143
TimeoutStartSec=900
TimeoutStopSec=0
`;

/** Starts a unit as its files say now; resolves as `systemctl start` does. Units of packages are known by name, ours by their files. */
export function startUnit(host: SearchMachineHost, machine: MachineView, name: string): Promise<boolean> {
  if (name === 'elasticsearch') define(machine, name, elasticsearchUnit, elasticsearchService(host));
  else if (name.startsWith('prometheus-')) define(machine, name, '', untilStopped);
  else
    for (const each of new Set([name.replace(/\.timer$/, '.service'), name]))
      define(machine, each, unitFile(machine, each));
  return machine.startService(name.replace(/\.service$/, ''));
}

function define(machine: MachineView, name: string, text: string, program?: Program): void {
  defineUnit(machine, name, [text, machine.files.get(`${unitFolder}${name}.service.d/drover.conf`) ?? ''], program);
}

function unitFile({ files }: MachineView, name: string): string {
  const text = files.get(`${unitFolder}${name}`);
  if (text === undefined) throw new Error(`Unit ${name} not found.`);
  return text;
}

/** A program that serves until it is stopped. What it serves is not modelled. */
const untilStopped: Program = () => new Promise(() => {});

export const touch: Program = async ({ argv, machine: { files } }) => {
  files.set(argv[1]!, '');
  return 0;
};

/** The commands that the units of a search node run beside `cluster-cli`. */
export function defineUnitCommands(host: SearchMachineHost, machine: MachineView): void {
  machine.defineCommand('/usr/bin/touch', touch);
  machine.defineCommand('/usr/bin/systemctl', async (context) => {
    const [, verb, option, name] = context.argv;
    if (verb !== 'start' || option !== '--no-block') throw new Error(`${context.argv.join(' ')} is not modelled`);
    void startUnit(host, context.machine, name!);
    return 0;
  });
}
