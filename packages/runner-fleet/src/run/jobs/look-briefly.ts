import { decideCeiling } from '../../decide/jobs/decide-want.ts';
import { decideWindow, hasNoJob } from '../../decide/jobs/decide-window.ts';
import { eachSignal } from '../../decide/types/decide-rest.ts';
import type { DemandPorts, TypePorts } from '../../jobs-ports.ts';
import type { JobsMemory } from '../../model/jobs.ts';
import type { Memory } from '../../model/memory.ts';
import { failureFields } from '../failure-fields.ts';
import { withSignal } from './take-lease.ts';
import { leastPollMs } from './watch-group.ts';

/** The age of the numbers is an alarm from 240 s on; each write costs. */
const confirmEveryMs = 90_000;

/**
 * A short look at a fleet that has been quiet: attaches to each session and polls it for a second. It needs no lease, for it acknowledges
 * nothing, launches nothing, and writes only that nothing was new. False: a window is due, which does all of that.
 */
export async function lookBriefly(ports: DemandPorts, types?: TypePorts): Promise<boolean> {
  const { clock, log, memory } = ports;
  const known = await memory.read();
  const { jobs: { lease, quietSince, statisticsAt = 0 } = {} } = known;
  if (quietSince === undefined || (lease?.until ?? 0) > clock.now()) return false;
  try {
    const looks = await Promise.all((await allQuiet(ports, known, types)).map(isStillQuiet));
    if (looks.length === 0 || looks.includes(false)) return false;
  } catch (error) {
    log.info('a short look failed: a window follows', failureFields(error));
    return false;
  }
  const at = clock.now();
  if (at - statisticsAt >= confirmEveryMs) await memory.update((state) => confirmed(state, at));
  log.info('a short look: no jobs');
  return true;
}

interface QuietGroup {
  readonly ports: DemandPorts;
  readonly scaleSetId: number;
  readonly sessionId: string;
  readonly ceiling: number;
}

/** The groups of the fleet with their sessions; none: one of them is not quiet, or a window has to settle its scale set, session or type first. */
async function allQuiet(ports: DemandPorts, known: Memory, types: TypePorts | undefined): Promise<QuietGroup[]> {
  const signals = known.types ?? {};
  const found = types?.expected === true ? await types.find() : [];
  const listed = found.filter(({ name }) => signals[name] !== undefined && signals[name].missingSince === undefined);
  if (listed.length !== found.length || listed.length !== Object.keys(signals).length) return [];
  const others = found.map(async (type) => {
    const ofType = types!.demand(type);
    return await quietGroup(ofType, withSignal((await ofType.memory.read()).jobs, signals[type.name]));
  });
  const groups = await Promise.all([quietGroup(ports, known.jobs ?? {}), ...others]);
  return groups.every((group) => group !== undefined) ? groups : [];
}

async function quietGroup(ports: DemandPorts, jobs: JobsMemory): Promise<QuietGroup | undefined> {
  const { scaleSet, sessionId } = jobs;
  if (sessionId === undefined || scaleSet?.asked !== ports.service.asked) return undefined;
  const now = ports.clock.now();
  const group = await ports.group.read();
  if (decideWindow({ group, jobs, idleTarget: ports.idleTarget(now) }, now) === 'long') return undefined;
  return { ports, scaleSetId: scaleSet.id, sessionId, ceiling: decideCeiling(group, undefined, now) };
}

/** A message that it finds is left for the window: it comes again, for it is not acknowledged. */
async function isStillQuiet({ ports, scaleSetId, sessionId, ceiling }: QuietGroup): Promise<boolean> {
  const { service } = ports;
  await service.connect();
  const session = await service.renewSession(scaleSetId, sessionId);
  if (session === 'unknown' || session.queueUrl === '' || session.statistics === undefined) return false;
  if (!hasNoJob(session.statistics)) return false;
  const options = { lastMessageId: undefined, ceiling, withinMs: leastPollMs };
  return (await service.poll({ scaleSetId, session }, options)) === 'nothing';
}

/** A window that has begun meanwhile knows better. */
function confirmed(state: Memory, at: number): Memory {
  const { jobs, types } = state;
  if ((jobs?.lease?.until ?? 0) > at) return state;
  const seen = { statisticsAt: at, lookedAt: at };
  return {
    ...state,
    jobs: { ...jobs, ...seen },
    ...(types === undefined ? {} : { types: eachSignal(types, (signal) => ({ ...signal, ...seen })) }),
  };
}
