import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A client that others wrote, found on this machine. */
export interface OutsideClient {
  /** Its path; the bare command when it is missing. */
  readonly path: string;
  readonly missing: boolean;
  /** For the title of a skipped suite: why, and how to install it. Empty when it is there. */
  readonly reason: string;
}

export interface OutsideClientOptions {
  /** Arguments with which the command must succeed to count. @default `--version` */
  readonly probe?: readonly string[];
}

/**
 * Finds a client of the outside, for `describe.skipIf(client.missing)`. Tests that need one are skipped without it on a laptop,
 * saying how to install it; in CI (`CI=true`) its absence is an error, so that nothing is skipped silently.
 */
export function outsideClient(
  command: string,
  installCommand: string,
  options: OutsideClientOptions = {},
): OutsideClient {
  return outsideClients(command, installCommand, options)[0]!;
}

/** Like `outsideClient`, but all that are there: two versions are two independent oracles. Never empty. */
export function outsideClients(
  command: string,
  installCommand: string,
  { probe = ['--version'] }: OutsideClientOptions = {},
): readonly OutsideClient[] {
  const works = (path: string) => spawnSync(path, probe, { stdio: 'ignore' }).status === 0;
  const own = candidates(command).filter(works);
  const usable = own.length > 0 ? own : installed(command).filter(works);
  if (usable.length > 0) return usable.map((path) => ({ path, missing: false, reason: '' }));
  const reason = `${[command, ...(probe[0] === '--version' ? [] : probe)].join(' ')} does not work here: ${installCommand}`;
  if (process.env.CI === 'true') throw new Error(`an outside client is missing: ${reason}`);
  return [{ path: command, missing: true, reason: `skipped: ${reason}` }];
}

/** The folder in which .ci/run installs commands that the machine lacks. */
function installed(command: string): string[] {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return [join(cache, 'drover/aws-cli/bin', command)].filter((path) => existsSync(path));
}

/** Every place where the command might be, each file once. */
function candidates(command: string): string[] {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  const paths = folders.filter(Boolean).map((folder) => join(folder, command));
  const byFile = new Map(paths.filter((path) => existsSync(path)).map((path) => [realpathSync(path), path]));
  return [...byFile.values()];
}
