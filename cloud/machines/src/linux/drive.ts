import { closeSync, existsSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from './commands.ts';

/** ext4's ioctl EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH (Linux, fs/ext4/ext4.h), by the Perl that mmdebstrap needs. */
const goDown =
  'open(my $folder, "<", $ARGV[0]) or die $!; my $how = pack("L", 2); ioctl($folder, 0x8004587d, $how) or die $!';

/** A disk with a file system of its own, on a loop device: what was not synced is in memory alone, and goes with the power. */
export class Drive {
  readonly #file: string;
  readonly #folder: string;

  constructor(file: string, folder: string) {
    this.#file = file;
    this.#folder = folder;
  }

  get exists(): boolean {
    return existsSync(this.#file);
  }

  async make(bytes: number): Promise<void> {
    const file = openSync(this.#file, 'w');
    ftruncateSync(file, bytes);
    closeSync(file);
    await command('mkfs.ext4', '-q', '-F', '-E', 'lazy_itable_init=1,lazy_journal_init=1', this.#file);
  }

  /** Replays the journal of the file system first, if its power has gone. */
  async mount(): Promise<void> {
    await command('mount', '-t', 'ext4', '-o', 'loop', this.#file, this.#folder);
  }

  async unmount(): Promise<void> {
    await command('umount', this.#folder);
  }

  /** From now on nothing reaches the disk: neither data that is still in memory nor what the journal has not got yet. */
  async losePower(): Promise<void> {
    await command('perl', '-e', goDown, this.#folder);
  }
}

/** Why there can be no drives here; empty when there can. */
export async function whyNoDrives(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-drive-'));
  const mounted = join(folder, 'mounted');
  mkdirSync(mounted);
  const drive = new Drive(join(folder, 'drive.img'), mounted);
  try {
    await drive.make(16 * 1024 ** 2);
    await drive.mount();
    await drive.losePower();
    return '';
  } catch (error) {
    return `skipped: no disk on a loop device can lose its power here: ${(error as Error).message}`;
  } finally {
    await drive.unmount().catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  }
}
