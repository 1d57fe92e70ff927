import { type Clock, describeError, type Logger } from '@drover/core';
import { metrics as names } from '@drover/core/names/runner-fleet';
import { bakeFailure, type ScheduledFacts } from '../../decide/image/decide-due.ts';
import { decideScheduled } from '../../decide/image/decide-scheduled.ts';
import type { ScheduledImagePorts } from '../../image-ports.ts';
import type { BakeNote } from '../../model/image.ts';
import type { Metrics } from '../../ports.ts';
import { eachType } from '../types/each-type.ts';
import { bakeIdAt, giveUp, sweepImages, takeStep } from './bake-steps.ts';

/** A group of the fleet whose images are baked, by the name of its type. */
export interface ScheduledGroup {
  readonly type: string;
  readonly ports: ScheduledImagePorts;
}

interface Fleet {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** After how many days a new image is baked. */
  readonly days: number;
}

/** A group after its part of the pass. */
interface Passed {
  readonly isBaking: boolean;
  readonly hasFailed: boolean;
  /** Begins a bake that is due. */
  readonly begin?: () => Promise<void>;
}

/**
 * A pass of `<asg>_image`: one step of each bake that is under way. A bake that is due begins while no other group of the fleet bakes, so
 * that twenty types do not launch at once.
 */
export async function keepImages(groups: readonly ScheduledGroup[], fleet: Fleet): Promise<void> {
  const passed: Passed[] = [];
  const works = groups.map(({ type, ports }) => ({
    type,
    run: async () => void passed.push(await passOf(ports, fleet)),
  }));
  const failure = await eachType(fleet.log, works).then(
    () => undefined,
    (error: unknown) => error,
  );
  const due = passed.find(({ begin }) => begin !== undefined);
  if (!passed.some(({ isBaking }) => isBaking)) await due?.begin?.();
  await fleet.metrics.put({ [names.imageBakesFailed]: passed.filter(({ hasFailed }) => hasFailed).length });
  if (failure !== undefined) throw failure;
}

async function passOf(ports: ScheduledImagePorts, { clock, log, days }: Fleet): Promise<Passed> {
  const { groupName, notes } = ports;
  // First: a bake that another invocation has noted since is then seen in EC2, or the note cannot be written.
  const note = await notes.read();
  const { mayLaunch } = ports;
  const given: ScheduledFacts = { mayLaunch, note, days, facts: await ports.read(), wanted: await ports.wanted() };
  const failure = bakeFailure(given.facts, note);
  const step = decideScheduled(given, clock.now());
  const after = (isBaking: boolean, hasFailed = failure !== undefined): Passed => ({ isBaking, hasFailed });
  switch (step.kind) {
    case 'wait':
      return after(true);
    case 'begin': {
      const begin = async () => {
        log.info('a bake begins', { group: groupName, because: step.because });
        const begun = {
          bakeId: bakeIdAt(clock.now()),
          begunAt: clock.now(),
          ...(failure === undefined ? {} : { failure }),
        };
        if (await notes.write(begun)) await launch(ports, begun, log);
      };
      await sweepImages(ports, given.facts);
      return { ...after(false), begin };
    }
    case 'launch':
      await launch(ports, step.note, log);
      return after(true);
    case 'ended':
      await notes.write(endedWell(step.note));
      return after(false);
    case 'fail': {
      const failed = { ...step.note, ended: true, failure: step.failure } as const;
      // First: it says why, when the instances are gone.
      if (!(await notes.write(failed))) return after(true);
      log.warn('a bake failed', { group: groupName, because: step.failure.reason });
      await giveUp(ports, failed.bakeId);
      return after(false, true);
    }
    case 'finish':
      // The same: afterwards another image may be chosen, and the bake would look like one that failed.
      if (note?.bakeId === step.image.bakeId) await notes.write(endedWell(note));
      ports.say(await takeStep(ports, step));
      return after(true);
    case 'rest':
      await sweepImages(ports, given.facts);
      // The command has baked another image since.
      if (note?.failure !== undefined && failure === undefined) await notes.write(endedWell(note));
      return after(false);
    default:
      ports.say(await takeStep(ports, step));
      return after(true);
  }
}

const endedWell = ({ bakeId, begunAt }: BakeNote): BakeNote => ({ bakeId, begunAt, ended: true });

/** A refusal is noted and tried again by the next passes, until the bake has failed. */
async function launch(ports: ScheduledImagePorts, note: BakeNote, log: Logger): Promise<void> {
  try {
    ports.say(`bake ${note.bakeId}: ${await ports.launch(note.bakeId)} boots from the base image`);
  } catch (error) {
    const refused = describeError(error);
    log.warn('a bake was not launched', { group: ports.groupName, because: refused });
    await ports.notes.write({ ...note, refused });
  }
}
