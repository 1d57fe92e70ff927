import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@drover/core';
import type { CommandResult } from '../program.ts';
import { command } from './commands.ts';
import { removeControlGroup } from './control-groups.ts';
import { Drive } from './drive.ts';

/** The parts that a container is made from. */
export interface ContainerSpec {
  readonly id: string;
  readonly address: string;
  readonly macAddress: string;
  readonly hostName: string;
  /** Root filesystems that it sees through one another, the uppermost first. */
  readonly layers: readonly string[];
  /** The folder for the files that it writes. */
  readonly folder: string;
  /** A control group for it to be in. */
  readonly controlGroup: string;
  /** Size of its disk. @default that of the folder */
  readonly diskBytes?: number | undefined;
  /** `drive`: a file system of its own, which loses what was not synced when its power goes. @default memory, if it has a size */
  readonly disk?: 'memory' | 'drive' | undefined;
  /** How much memory it takes itself to have, as /proc/meminfo says; it can use more. @default that of the computer */
  readonly memoryBytes?: number | undefined;
  readonly clock: Clock;
}

/** systemd-nspawn(1) with --keep-unit: the container asks to be started again. */
const rebootExitCode = 133;

/** Capabilities that a runner or a node needs beyond nspawn's own list: firewall, priorities, locked memory. */
const capabilities = 'CAP_NET_ADMIN,CAP_SYS_NICE,CAP_IPC_LOCK';
/** System calls that a container runtime within it needs. */
const systemCalls = 'add_key keyctl bpf';
/**
 * Control groups of version 2 also where the computer has both; no lock on the overlay, which is each container's own; settings of the
 * network, which is its own too, can be written.
 */
const nspawnSettings = {
  SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1',
  SYSTEMD_NSPAWN_LOCK: '0',
  SYSTEMD_NSPAWN_API_VFS_WRITABLE: 'network',
};
/** Within the container: what is mounted below /proc comes from there. */
const memoryFile = '/etc/machine-meminfo';
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A Linux system in a container: systemd-nspawn in a network namespace and a control group of its own, on an overlay. */
export class Container {
  readonly spec: ContainerSpec;
  #nspawn: ChildProcess | undefined;
  #leader: number | undefined;
  #bootCount = 0;
  #powerReturns = false;

  constructor(spec: ContainerSpec) {
    this.spec = spec;
  }

  /** The path of its files, seen from outside. */
  get root(): string {
    return join(this.spec.folder, 'root');
  }

  /** Everything that it has written: a layer for machines that start from its image, once it is off. */
  get written(): string {
    return join(this.spec.folder, 'disk/upper');
  }

  get bootCount(): number {
    return this.#bootCount;
  }

  /** Everything that stays between two boots: network, control group, disk. */
  async prepare(): Promise<void> {
    const { folder, controlGroup, diskBytes } = this.spec;
    mkdirSync(controlGroup, { recursive: true });
    const disk = join(folder, 'disk');
    for (const each of [disk, this.root]) mkdirSync(each, { recursive: true });
    if (diskBytes !== undefined && !existsSync(join(disk, 'upper'))) await this.#mountDisk(disk, diskBytes);
    await this.#mountRoot();
    // The network is there already: cloud-init would look a minute for a DHCP server before it uses it.
    rmSync(join(this.root, 'usr/sbin/dhclient'), { force: true });
    this.#writeMemory();
    // systemd prefers this file, in which mmdebstrap has left the name of the computer that made the image.
    writeFileSync(join(this.root, 'etc/hostname'), `${this.spec.hostName}\n`);
    await this.#joinNetwork();
  }

  get #drive(): Drive | undefined {
    const { folder, disk } = this.spec;
    return disk === 'drive' ? new Drive(join(folder, 'drive.img'), join(folder, 'disk')) : undefined;
  }

  async #mountDisk(disk: string, bytes: number): Promise<void> {
    const drive = this.#drive;
    if (drive === undefined) return void (await command('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', disk));
    if (!drive.exists) await drive.make(bytes);
    await drive.mount();
  }

  async #mountRoot(): Promise<void> {
    const disk = join(this.spec.folder, 'disk');
    for (const each of ['upper', 'work']) mkdirSync(join(disk, each), { recursive: true });
    const overlay = `lowerdir=${this.spec.layers.join(':')},upperdir=${disk}/upper,workdir=${disk}/work`;
    await command('mount', '-t', 'overlay', '-o', overlay, 'overlay', this.root);
  }

  #writeMemory(): void {
    const { memoryBytes } = this.spec;
    if (memoryBytes === undefined) return;
    const kilobytes = Math.floor(memoryBytes / 1024);
    const own = readFileSync('/proc/meminfo', 'utf8');
    writeFileSync(
      join(this.root, memoryFile),
      own.replaceAll(/^(MemTotal|MemFree|MemAvailable):.*$/gm, `$1: ${kilobytes} kB`),
    );
  }

  /** A cable to the bridge of the cloud. There is no router: every address is a neighbour on the one link. */
  async #joinNetwork(): Promise<void> {
    const { address, macAddress } = this.spec;
    writeFileSync(this.#network, '');
    await command('unshare', `--net=${this.#network}`, 'true');
    await command('ip', 'link', 'add', this.#cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', this.#network);
    await command('ip', 'link', 'set', this.#cable, 'master', bridge, 'up');
    const inside = [
      'link set lo up',
      `link set eth0 address ${macAddress} up`,
      `addr add ${address}/32 dev eth0`,
      'route add default dev eth0',
    ];
    for (const line of inside) await command('nsenter', `--net=${this.#network}`, 'ip', ...line.split(' '));
  }

  get #network(): string {
    return join(this.spec.folder, 'net');
  }

  get #cable(): string {
    return `v${this.spec.id.slice(-12)}`;
  }

  /** Runs until it is powered off or killed; a reboot is another start, and so is power that comes back. `up` is called when its init system runs. */
  async run(up: () => void): Promise<number> {
    for (;;) {
      const code = await this.#boot(up);
      if (code !== rebootExitCode && !this.#powerReturns) return code;
      if (!this.#powerReturns) continue;
      await this.#remount();
      // It was cut for good meanwhile.
      if (!this.#powerReturns) return code;
      this.#powerReturns = false;
    }
  }

  #boot(up: () => void): Promise<number> {
    const { id, hostName, folder, controlGroup } = this.spec;
    // nspawn would take the control group that it is started from, and all containers would share that.
    const script = 'echo $$ > "$0/cgroup.procs" && exec systemd-nspawn "$@"';
    const network = [`--network-namespace-path=${this.#network}`, '--resolv-conf=off'];
    const quiet = ['--quiet', '--register=no', '--keep-unit', '--link-journal=no', '--timezone=off', '--console=pipe'];
    const memory = this.spec.memoryBytes === undefined ? [] : [`--bind-ro=${memoryFile}:/proc/meminfo`];
    const what = [
      ...memory,
      `--directory=${this.root}`,
      `--machine=${id}`,
      `--hostname=${hostName}`,
      `--capability=${capabilities}`,
      `--system-call-filter=${systemCalls}`,
    ];
    const nspawn = spawn('bash', ['-c', script, controlGroup, ...what, ...network, ...quiet, '--boot'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...nspawnSettings },
    });
    this.#nspawn = nspawn;
    const console = createWriteStream(join(folder, 'console.log'), { flags: 'a' });
    for (const stream of [nspawn.stdout, nspawn.stderr]) stream.pipe(console, { end: false });
    void this.#findLeader(nspawn).then((found) => {
      if (!found) return;
      this.#bootCount += 1;
      up();
    });
    return new Promise((resolve, reject) => {
      nspawn.once('error', reject);
      nspawn.once('close', (code) => {
        this.#leader = undefined;
        console.end();
        resolve(code ?? 137);
      });
    });
  }

  /** The first process of the container: a child of nspawn that has become the init system. */
  async #findLeader(nspawn: ChildProcess): Promise<boolean> {
    while (nspawn.exitCode === null && nspawn.signalCode === null) {
      const leader = childrenOf(nspawn.pid!).find((pid) => nameOf(pid) === 'systemd');
      if (leader !== undefined) {
        this.#leader = leader;
        return true;
      }
      await this.spec.clock.sleep(50);
    }
    return false;
  }

  /** Runs a script as root, or as `user`, on the running system. */
  execute(
    script: string,
    options: { readonly user?: string; readonly signal?: AbortSignal; onOutput?(text: string): void } = {},
  ): Promise<CommandResult> {
    const leader = this.#leader;
    if (leader === undefined) return Promise.resolve({ exitCode: 255, stdout: '', stderr: `${this.spec.id} is off` });
    const { user, signal, onOutput } = options;
    const as = user === undefined ? [] : ['runuser', '-u', user, '--'];
    const shell = ['env', '-i', `PATH=${searchPath}`, 'HOME=/root', trust, ...as, 'sh', '-c', script];
    const all = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--root', '--wd'];
    const child = spawn('nsenter', [`--target=${leader}`, ...all, ...shell], { stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
        onOutput?.(text);
      });
    signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ exitCode: code ?? 137, ...output }));
    });
  }

  /** Asks it to power off in order. */
  shutDown(): void {
    this.#nspawn?.kill('SIGTERM');
  }

  /** For good. */
  cutPower(): void {
    this.#powerReturns = false;
    this.#killAll();
  }

  /** Not nspawn, whose end would leave the system running: its first process, with which the kernel ends all others. Nothing runs on it from now on. */
  #killAll(): void {
    if (this.#leader !== undefined) process.kill(this.#leader, 'SIGKILL');
    else this.#nspawn?.kill('SIGKILL');
    this.#leader = undefined;
    // nspawn stands still with a frozen container, and would not notice its end.
    if (existsSync(join(this.spec.controlGroup, 'cgroup.freeze'))) this.freeze(false);
  }

  /** Its power goes, and comes back at once: another boot of the same disk. A drive has lost what was not synced. */
  async losePower(): Promise<void> {
    this.#powerReturns = true;
    await this.#drive?.losePower();
    this.#killAll();
  }

  /** A drive is not readable again before it was unmounted. */
  async #remount(): Promise<void> {
    const drive = this.#drive;
    if (drive === undefined) return;
    await command('umount', '--lazy', this.root);
    // It is busy until the last process of the machine has ended.
    for (let tries = 1; ; tries++) {
      try {
        await drive.unmount();
        break;
      } catch (error) {
        if (tries === 100) throw error;
        await this.spec.clock.sleep(100);
      }
    }
    await drive.mount();
    await this.#mountRoot();
  }

  /** Microseconds for which its processes have run: it stands still where nothing is added. */
  processorTime(): number {
    const [, used] = /^usage_usec (\d+)$/m.exec(readFileSync(join(this.spec.controlGroup, 'cpu.stat'), 'utf8')) ?? [];
    return Number(used);
  }

  freeze(on: boolean): void {
    writeFileSync(join(this.spec.controlGroup, 'cgroup.freeze'), on ? '1' : '0');
  }

  /** Pulls the cable, or puts it back. */
  async connect(on: boolean): Promise<void> {
    await command('ip', 'link', 'set', this.#cable, on ? 'up' : 'down');
  }

  /** Fills the disk until only `leaveBytes` are left; a larger value than before frees some again. */
  async fillDisk(leaveBytes: number): Promise<void> {
    const filler = join(this.spec.folder, 'disk', 'filler');
    rmSync(filler, { force: true });
    const { bavail, bsize } = statfsSync(join(this.spec.folder, 'disk'));
    const size = bavail * bsize - leaveBytes;
    if (size > 0) await command('fallocate', '--length', String(size), filler);
  }

  /** Takes away what `prepare` has made, but not what it wrote: an instance that was stopped finds that again. */
  async dispose(): Promise<void> {
    await command('ip', 'link', 'del', this.#cable).catch(() => {});
    const drive = this.spec.disk === 'drive' ? [join(this.spec.folder, 'disk')] : [];
    for (const mounted of [this.root, this.#network, ...drive])
      await command('umount', '--lazy', mounted).catch(() => {});
    removeControlGroup(this.spec.controlGroup);
  }
}

/** Fixed, because a bridge otherwise takes the lowest address of its ports and neighbours would have to learn it again. */
export const bridgeAddress = '02:00:00:00:00:fe';
export const bridge = 'br0';
const trust = 'NODE_EXTRA_CA_CERTS=/etc/ssl/test-authority.pem';

function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
}

function nameOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}
