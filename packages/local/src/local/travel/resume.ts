import type { DroverIo } from '@drover/operator/io';
import type { KeptSession } from '../session.ts';
import type { OpenedWorld } from './opened-world.ts';
import { timeOfDay } from './time-of-day.ts';

/**
 * Brings a world to where its session had come: without the wire as far as marks show whether it takes the same course,
 * and over the wire in a new world when it takes another.
 */
export async function resume(
  io: DroverIo,
  deploy: (quick: boolean) => Promise<OpenedWorld>,
  kept: KeptSession,
  progress: (percent: number) => void,
): Promise<OpenedWorld> {
  const replayIn = async ({ local, inputs }: OpenedWorld) =>
    await inputs.replay(kept, (percent) => {
      progress(percent);
      if (percent % 10 === 0) io.stderr(`${percent} % replayed, ${timeOfDay(local.clock.now())} simulated\n`);
    });

  const opened = await deploy(kept.marks.length > 0);
  const inputsSaid = kept.inputs.length === 1 ? 'one input' : `${kept.inputs.length} inputs`;
  if (opened.session.course.branchedAt === kept.endedAt)
    io.stderr(`replaying up to ${timeOfDay(kept.endedAt)} (${inputsSaid}), where the branch begins\n`);
  else if (kept.endedAt > opened.local.clock.now())
    io.stderr(`resuming where the last session ended (${inputsSaid}); --reset starts a new one\n`);
  const otherFrom = await replayIn(opened);
  if (otherFrom === undefined) return opened;

  io.stderr(
    `by ${timeOfDay(otherFrom)} simulated the quick replay took another course than the session: replaying every call\n`,
  );
  const again = await deploy(false);
  const stillOtherFrom = await replayIn(again);
  if (stillOtherFrom === undefined) return again;

  io.stderr(
    `the session takes another course than it did, as it can with another version of drover: by ${timeOfDay(stillOtherFrom)} simulated ` +
      'something else happened; what was recorded of it stays\n',
  );
  again.session.forgetMarks();
  return again;
}
