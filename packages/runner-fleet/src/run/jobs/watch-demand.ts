import { defaultType } from '@drover/core/names/runner-fleet';
import { noteTypes } from '../../decide/types/note-types.ts';
import type { DemandPorts, TypePorts } from '../../jobs-ports.ts';
import type { TypeSignal } from '../../model/memory.ts';
import type { RunnerType } from '../../model/types.ts';
import { failureFields } from '../failure-fields.ts';
import { eachType, type TypeWork, unknownTypes } from '../types/each-type.ts';
import { lookBriefly } from './look-briefly.ts';
import { type LeasedWindow, openTypeWindow, takeLease } from './take-lease.ts';
import { watchGroup } from './watch-group.ts';

/** One window of the demand, with a session for each type below one lease. */
export async function watchDemand(ports: DemandPorts, types?: TypePorts): Promise<void> {
  const { clock, log } = ports;
  if (ports.adaptiveWindows && (await lookBriefly(ports, types))) return;
  const endAt = clock.now() + ports.windowMs;
  const read = async () => ({ group: await ports.group.read(), at: clock.now() });
  // Without types a fleet whose group is missing does nothing at all.
  const seen = types?.expected === true ? undefined : await read();
  const window = await takeLease(ports, endAt);
  if (window === undefined) return log.info('another window is open');
  const watchDefault = async () => await watchGroup(ports, window, { seen: seen ?? (await read()), endAt });
  if (types !== undefined && (types.expected || window.types !== undefined))
    return await watchTypes(ports, types, { window, endAt, watchDefault });
  try {
    await watchDefault();
  } finally {
    await window.close();
  }
}

interface Begun {
  readonly window: LeasedWindow;
  readonly endAt: number;
  watchDefault(): Promise<void>;
}

/** Each type listens and acts by itself; in the end one error names those that failed. */
async function watchTypes({ clock, log }: DemandPorts, types: TypePorts, begun: Begun): Promise<void> {
  const { window, endAt } = begun;
  const signals: Record<string, TypeSignal> = { ...window.types };
  const watchType = async (type: RunnerType) => {
    const ofType = types.demand(type);
    const open = await openTypeWindow(ofType, window.until, signals[type.name]!);
    try {
      const seen = { group: await ofType.group.read(), at: clock.now() };
      await watchGroup(ofType, open, { seen, endAt });
    } finally {
      const { scaleSet, sessionId } = open.jobs;
      signals[type.name] = {
        ...open.signal,
        resting: open.resting,
        ...(scaleSet === undefined ? {} : { scaleSetId: scaleSet.id }),
        ...(sessionId === undefined ? {} : { sessionId }),
      };
    }
  };
  const closeRemoved = async (name: string) => {
    const { scaleSetId, sessionId } = signals[name]!;
    try {
      await types.left.connect();
      if (scaleSetId !== undefined && sessionId !== undefined) await types.left.closeSession(scaleSetId, sessionId);
      // With it go the runners that are left; while a job runs the service refuses.
      if (scaleSetId !== undefined) await types.left.deleteScaleSet(scaleSetId);
      if (types.expected) await types.forget(name);
      delete signals[name];
      log.info('the scale set of a removed type is deleted', { type: name, scaleSet: scaleSetId });
    } catch (error) {
      log.error('the scale set of a removed type is left at the platform; it is tried again', {
        type: name,
        ...failureFields(error),
      });
    }
  };
  const worksOf = (found: readonly RunnerType[]): TypeWork[] => {
    const names = found.map(({ name }) => name);
    const noted = noteTypes(signals, names, clock.now());
    Object.assign(signals, noted.types);
    return [
      ...found.map((type) => ({ type: type.name, run: () => watchType(type) })),
      ...noted.removed.map((name) => ({ type: name, run: () => closeRemoved(name) })),
    ];
  };
  try {
    const found = types.expected ? types.find() : Promise.resolve([]);
    const others = await found.then(worksOf, (error: unknown) => [unknownTypes(error)]);
    const watchDefault = () => types.quietly(() => begun.watchDefault());
    await eachType(log, [{ type: defaultType, run: watchDefault }, ...others]);
  } finally {
    await window.close(signals);
  }
}
