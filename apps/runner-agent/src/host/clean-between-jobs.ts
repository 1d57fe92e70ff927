import type { Clock } from '@drover/core';
import { runnerService } from '@drover/core/names/runner-fleet';
import { decideLeftovers, listenerOf } from '@drover/runner-fleet';
import type { AgentConfig } from '../config.ts';
import type { Kernel } from './kernel.ts';

/** Texts of files by which a job could change what later jobs do, from before the first job. Every user may read it, as jobs may read their originals. */
const baselineFile = '/var/lib/runner-agent/baseline.json';
/** Processes that fork while they are ended: after this many looks the next one is the hook's. */
const mostLooks = 20;
/** The next job waits this long for the processes of earlier ones to end. */
const waitMs = 30_000;
const lookEveryMs = 200;

type Place = Pick<AgentConfig, 'runnerDirectory' | 'runnerUser' | 'cleanBetweenJobs' | 'ephemeral'>;

const cleans = ({ cleanBetweenJobs, ephemeral }: Place) => cleanBetweenJobs && !ephemeral;
/** The listener reads them when it starts. Root writes them: their folder is root's. */
const ofListener = ({ runnerDirectory }: Place) => ['.env', '.path'].map((name) => `${runnerDirectory}/${name}`);
/** A job may change them for itself, and could lead root elsewhere with a link above them: only the hook puts them back. */
const ofJobs = ({ runnerUser }: Place) =>
  ['.gitconfig', '.config/git/config'].map((name) => `/home/${runnerUser}/${name}`);

/** Before the first job of this host. */
export function noteBaseline(kernel: Kernel, place: Place): void {
  if (!cleans(place)) return;
  const texts = [...ofListener(place), ...ofJobs(place)].map((file) => [file, kernel.readFile(file) ?? null]);
  kernel.writeFile(baselineFile, JSON.stringify(Object.fromEntries(texts)), undefined, 0o644);
}

/** Ends what jobs have left, as root and while no Worker lives. Returns how many processes that were. */
export function cleanBetweenJobs(kernel: Kernel, place: Place): number {
  if (!cleans(place)) return 0;
  let ended = 0;
  for (let looks = 0; looks < mostLooks; looks++) {
    const { busy, pids } = decideLeftovers(
      kernel.processesOfUser(place.runnerUser),
      kernel.unit(runnerService).mainPid,
    );
    if (busy) return ended;
    if (pids.length === 0) break;
    for (const pid of pids) kernel.kill(pid);
    ended += pids.length;
  }
  putBack(kernel, ofListener(place), place.runnerUser);
  return ended;
}

/**
 * The started hook of a job, as the runner's user and before its first step: ends what is left of earlier jobs until nothing is, and puts files back.
 * False when something is left after half a minute: the job goes on.
 */
export async function cleanBeforeJob(kernel: Kernel, clock: Clock, place: Place, ownPid: number): Promise<boolean> {
  if (!cleans(place)) return true;
  for (const until = clock.now() + waitMs; ; await clock.sleep(lookEveryMs)) {
    const processes = kernel.processesOfUser(place.runnerUser);
    const { pids } = decideLeftovers(processes, listenerOf(processes, ownPid));
    for (const pid of pids) kernel.kill(pid);
    if (pids.length > 0 && clock.now() < until) continue;
    putBack(kernel, [...ofListener(place), ...ofJobs(place)]);
    return pids.length === 0;
  }
}

/** Hosts that were configured by an agent before this one have no texts to put back. */
function putBack(kernel: Kernel, files: readonly string[], owner?: string): void {
  const baseline = JSON.parse(kernel.readFile(baselineFile) ?? '{}') as Readonly<Record<string, string | null>>;
  for (const file of files) {
    const text = baseline[file];
    if (text === undefined || (kernel.readFile(file) ?? null) === text) continue;
    kernel.remove(file);
    if (text !== null) kernel.writeFile(file, text, owner);
  }
}
