import { fetchProgram } from '@drover/adapters/aws';
import type { MachineView, Program } from '@drover/cloud-machines';
import { facts as names, nextSoftware, softwareFile, softwareObject } from '@drover/core/names/search-cluster';
import type { SoftwarePointer } from '@drover/search-cluster';
import { fetchObject, installSoftware } from './boot-software.ts';
import { BootFailure, type SearchMachineHost } from './machine-host.ts';

const home = '/opt/drover';

/** Fetches what a pointer names, checks it and unpacks it there. */
export async function fetchSoftware(
  { world }: SearchMachineHost,
  machine: MachineView,
  url: string,
  into = home,
): Promise<SoftwarePointer> {
  const pointer = JSON.parse(Buffer.from(await fetchObject(world, machine, url)).toString()) as SoftwarePointer;
  const bucket = url.slice(0, -softwareObject.length);
  for (const archive of pointer.archives)
    await installSoftware(world, machine, { ...archive, url: `${bucket}${archive.key}` }, into);
  return pointer;
}

/** `bin/take-software`: what was fetched becomes the software of the machine. */
export function takeSoftware({ files }: MachineView, from = nextSoftware): void {
  for (const path of [...files.keys()])
    if (path.startsWith(`${from}/`)) files.set(`${home}${path.slice(from.length)}`, files.get(path)!);
  files.set(softwareFile, files.get(`${from}/software.json.next`)!);
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

/** 60 MB from S3, and the time to unpack them. */
const fetchMs = { least: 5_000, most: 20_000 };
