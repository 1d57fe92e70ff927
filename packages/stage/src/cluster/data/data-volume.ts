import type { MachineView } from '@drover/cloud-machines';
import { dataDevice, dataLabel } from '@drover/core/names/search-cluster';
import { BootFailure, type SearchMachineHost } from '../machine/machine-host.ts';

/** Titles in volume.pp. */
export const mountVolume = 'mount the volume for data';
export const growVolume = 'grow the file system of the volume for data';

/** udev's link to the file system with our label; its content here is the size of the file system in bytes. */
const labelled = `/dev/disk/by-label/${dataLabel}`;
/** Of ext4: inodes, bitmaps and the journal. The rest is what df(1) and Elasticsearch see. */
const usable = 0.984;
const resizeMs = { least: 200, most: 5_000 };

/** The size of the volume as Elasticsearch sees it; undefined on a machine whose data is on the root volume. */
export function fileSystemBytes({ files }: Pick<MachineView, 'files'>): number | undefined {
  const size = files.get(labelled);
  return size === undefined ? undefined : Math.floor(Number(size) * usable);
}

/** As data-volume.sh: a disk with nothing on it gets a file system of its size. */
export function mountDataVolume(host: SearchMachineHost, machine: MachineView): void {
  if (machine.files.has(labelled)) return;
  machine.files.set(labelled, String(deviceBytes(host, machine)));
  machine.defineCommand('resize2fs', async ({ argv, clock, random, stderr }) => {
    if (argv[1] !== labelled) {
      stderr(`resize2fs: No such file or directory while opening ${argv[1]}\n`);
      return 1;
    }
    await clock.sleep(random.int(resizeMs.least, resizeMs.most));
    growFileSystem(host, machine);
    return 0;
  });
}

/** The file system fills the device as it is now; it is mounted and used meanwhile (resize2fs(8)). */
export function growFileSystem(host: SearchMachineHost, machine: MachineView): void {
  const bytes = deviceBytes(host, machine);
  if (machine.files.get(labelled) === String(bytes)) return;
  machine.files.set(labelled, String(bytes));
  host.resized(machine, fileSystemBytes(machine)!);
}

function deviceBytes({ world }: SearchMachineHost, { instance }: MachineView): number {
  const disk = world.observe.disks(instance.id).find(({ device }) => device === dataDevice);
  if (disk === undefined) throw new BootFailure('puppet apply failed with exit code 4');
  return disk.sizeGiB * 1024 ** 3;
}
