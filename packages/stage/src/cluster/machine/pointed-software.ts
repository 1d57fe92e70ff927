import { fetchProgram } from '@drover/adapters/aws';
import type { MachineView, Program } from '@drover/cloud-machines';
import { facts as names, nextSoftware, softwareFile, softwareObject } from '@drover/core/names/search-cluster';
import { lastProven, type SoftwarePointer, type WantedSoftware } from '@drover/search-cluster';
import { searchDelays } from '../search-delays.ts';
import { fetchObject, installSoftware } from './boot-software.ts';
import { BootFailure, type SearchMachineHost } from './machine-host.ts';

const home = '/opt/drover';

/** Fetches what a pointer names, checks it and unpacks it there: the last proven one at boot, the current one in a roll. */
export async function fetchSoftware(
  { world }: SearchMachineHost,
  machine: MachineView,
  url: string,
  into = home,
): Promise<WantedSoftware> {
  const current = JSON.parse(Buffer.from(await fetchObject(world, machine, url)).toString()) as SoftwarePointer;
  const pointer = into === home ? lastProven(current) : current;
  const bucket = url.slice(0, -softwareObject.length);
  for (const archive of pointer.archives)
    await installSoftware(world, machine, { ...archive, url: `${bucket}${archive.key}` }, into);
  return pointer;
}

/** `bin/take-software`: what was fetched becomes the software of the machine, with its settings. */
export function takeSoftware({ files }: MachineView, from = nextSoftware): void {
  for (const path of [...files.keys()])
    if (path.startsWith(`${from}/`)) files.set(`${home}${path.slice(from.length)}`, files.get(path)!);
  const pointer = files.get(`${from}/software.json.next`)!;
  writeFacts(files, JSON.parse(pointer) as WantedSoftware, from === home);
  files.set(softwareFile, pointer);
}

/** Facts that belong to the launch of an instance, and never change. */
const launched = ['version', 'data_volume', 'state_bucket'];

function writeFacts(files: MachineView['files'], { facts }: WantedSoftware, booting: boolean): void {
  const known = JSON.parse(files.get(names.files[0])!) as Record<'drover' | 'elasticsearch', Record<string, unknown>>;
  const { drover, elasticsearch } = facts[String(known.drover.role)]!;
  const kept = Object.entries(known.elasticsearch).filter(([name]) => booting || launched.includes(name));
  const all = {
    ...known,
    drover: { ...known.drover, ...drover },
    elasticsearch: { ...elasticsearch, ...Object.fromEntries(kept) },
  };
  files.set(names.files[0], JSON.stringify(all));
}

/** The effects of `python3 -c` with the program that fetches the software of a roll; nothing else is modelled. */
export const fetchCommand =
  (host: SearchMachineHost): Program =>
  async ({ argv, machine, stderr, clock, random }) => {
    const [, , program = ''] = argv;
    const { drover, elasticsearch } = JSON.parse(machine.files.get(names.files[0])!) as {
      drover: { launch: { endpoint: string } };
      elasticsearch: { state_bucket: string };
    };
    const bucket = `${drover.launch.endpoint.replace('autoscaling', 's3')}${elasticsearch.state_bucket}/`;
    try {
      await clock.sleep(random.int(fetchMs.least, fetchMs.most));
      for (const path of [...machine.files.keys()]) if (path.startsWith(`${nextSoftware}/`)) machine.files.delete(path);
      const pointer = await fetchSoftware(host, machine, `${bucket}${softwareObject}`, nextSoftware);
      if (program !== fetchProgram(pointer.digest))
        throw new BootFailure(`the software is to be ${pointer.digest} by now`);
      machine.files.set(`${nextSoftware}/software.json.next`, JSON.stringify(pointer));
      machine.defineCommand(`${nextSoftware}/bin/take-software`, async () => {
        takeSoftware(machine);
        return 0;
      });
      machine.defineCommand(`${nextSoftware}/bin/cluster-cli`, host.nextCommand);
      return 0;
    } catch (error) {
      if (!(error instanceof BootFailure)) throw error;
      stderr(`${error.message}\n`);
      return 1;
    }
  };

const fetchMs = searchDelays.fetchSoftware;
