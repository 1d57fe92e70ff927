import { createHash } from 'node:crypto';
import { type HostFlaw, leastFreeBytes } from '@drover/runner-fleet';
import type { AgentConfig } from '../config.ts';
import { runnerFiles } from './configure.ts';
import type { Kernel } from './kernel.ts';

/** Hashes of configuration and programs from when the runner was configured. Only root can read it. */
const notedFile = '/var/lib/runner-agent/configured.json';
const timeoutMs = 60_000;
/**
 * A Worker that its listener did not start complains and ends with the first; one that cannot start ends otherwise (seen of 2.336). The
 * started hook of a next job kills whatever is not that job's: then nothing is known, and the next early failure is looked into.
 */
const [complains, killed] = [1, 137];
const canWrite = 'mkdir -p _work && file=$(mktemp -p _work) && rm -f "$file"';

type Place = Pick<AgentConfig, 'runnerDirectory' | 'runnerUser' | 'ephemeral'>;

const hash = (parts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** Jobs cannot write to the programs, but root can, whom some jobs may become. */
const look = (kernel: Kernel, { runnerDirectory }: Place) => ({
  configuration: hash(runnerFiles(runnerDirectory).map((file) => kernel.readFile(file) ?? null)),
  programs: hash([...kernel.list(`${runnerDirectory}/bin`)].sort((a, b) => (a.name < b.name ? -1 : 1))),
});

export const noteConfigured = (kernel: Kernel, place: Place): void =>
  kernel.writeFile(notedFile, JSON.stringify(look(kernel, place)));

/** The first thing without which no job can begin here; undefined on a sound host. After its one job a runner has no configuration. */
export async function findFlaw(kernel: Kernel, place: Place): Promise<HostFlaw | undefined> {
  const { runnerDirectory: cwd, runnerUser: user } = place;
  const now = look(kernel, place);
  const noted = JSON.parse(kernel.readFile(notedFile) ?? '{}') as Partial<typeof now>;
  const differs = (what: keyof typeof now) => noted[what] !== undefined && noted[what] !== now[what];
  if (!place.ephemeral && differs('configuration')) return 'configuration-changed';
  if (differs('programs')) return 'programs-changed';
  if (kernel.freeBytes(cwd) < leastFreeBytes) return 'no-space';
  const codeOf = async (file: string, ...args: string[]) =>
    (await kernel.run({ file, args, user, cwd, timeoutMs })).exitCode;
  if (![0, killed].includes(await codeOf('bash', '-c', canWrite))) return 'workspace-not-writable';
  return [complains, killed].includes(await codeOf('./bin/Runner.Worker')) ? undefined : 'worker-does-not-start';
}
