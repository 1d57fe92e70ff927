import { accessSync, constants, mkdirSync, rmdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { command } from './commands.ts';
import { controlGroupPrefix, controlGroups } from './control-groups.ts';

/** Programs that containers need, with Debian's packages of them. */
const programs: Readonly<Record<string, string>> = {
  mmdebstrap: 'mmdebstrap',
  'systemd-nspawn': 'systemd-container',
  ip: 'iproute2',
  nsenter: 'util-linux',
  openssl: 'openssl',
};

/** Runs a program in network, mount and process namespaces of its own: whatever it starts ends with it, and its mounts and network go. */
export const inOwnNamespaces = (file: string, ...args: readonly string[]): readonly [string, ...string[]] => [
  'unshare',
  ...['--net', '--mount', '--propagation=private', '--pid', '--fork', '--kill-child', '--mount-proc'],
  // A first process that waits for others' orphans, which `file` need not do.
  ...['bash', '-c', '"$@" & wait $!', 'bash', file, ...args],
];

/** Why there can be no containers here; undefined when there can be. */
export async function whyNoContainers(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `this is ${process.platform}, not Linux`;
  if (process.getuid?.() !== 0) return 'only root may make network namespaces and mounts';
  const missing = Object.entries(programs).filter(([name]) => !onPath(name));
  if (missing.length > 0) return `missing packages: ${missing.map(([, name]) => name).join(' ')}`;
  const root = controlGroups();
  if (root === undefined) return 'there are no control groups of version 2';
  try {
    const own = join(root, `${controlGroupPrefix}probe-${process.pid}`);
    mkdirSync(own);
    rmdirSync(own);
    const [file, ...args] = inOwnNamespaces('ip', 'link', 'add', 'br0', 'type', 'bridge');
    await command(file, ...args);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const onPath = (name: string) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => isExecutable(join(folder, name)));

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
