import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Inputs } from '../../packages/local/src/local/inputs.ts';
import type { LocalWorld } from '../../packages/local/src/local/local-world.ts';
import { Session } from '../../packages/local/src/local/session.ts';
import { Frames } from '../../packages/local/src/local/travel/frames.ts';
import { Marks } from '../../packages/local/src/local/travel/marks.ts';
import { atMost, type Figures, informative } from '../figures.ts';

const hour = 3_600_000;
/** At the default speed: the pace moves time twenty times a second, the page is sent a state twice a second. */
const paceStepMs = 60 * 50;
const stepsPerState = 10;
const statesPerSnapshotRead = 10;

/**
 * CPU time of replaying a simulated day ÷ of playing it first, with one page open. Each is done twice, in turn, and the cheaper one counts:
 * the first time code is compiled.
 */
export async function benchResume(
  openWorld: (quickReplay?: boolean) => Promise<LocalWorld>,
  days: number,
): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-resume-'));
  const played: number[] = [];
  const replayed: number[] = [];
  for (const turn of ['first', 'second']) {
    const session = new Session(join(folder, turn));
    const { cpuSeconds, completedJobs } = await play(await openWorld(), session, days);
    played.push(cpuSeconds);
    replayed.push(await replay(await openWorld(true), session, completedJobs));
  }
  const [first, again] = [Math.min(...played), Math.min(...replayed)];
  return {
    'local.resume_ratio': atMost(again / first, 0.7, `of playing ${days} d`),
    'local.resume_play_cpu': informative(first, `s for ${days} d`),
    'local.resume_replay_cpu': informative(again, `s for ${days} d`),
  };
}

/** Fails where something else happens than in the session. */
async function replay(local: LocalWorld, session: Session, completedJobs: number): Promise<number> {
  const inputs = new Inputs(local, new Session(join(session.folder, 'again')));
  const cpuSeconds = await cpuSecondsOf(async () => {
    const otherFrom = await inputs.replay(session.read()!);
    if (otherFrom !== undefined)
      throw new Error(`the replay took another course than the session by ${new Date(otherFrom).toISOString()}`);
  });
  const { fleet } = await local.readState(false);
  if (fleet.completedJobs !== completedJobs)
    throw new Error(`the replay completed ${fleet.completedJobs} jobs, not ${completedJobs}`);
  return cpuSeconds;
}

/** A day in which a user plays with the tools, watched by one page, as `drover local` runs it. */
async function play(local: LocalWorld, session: Session, days: number) {
  session.begin({ version: 1, seed: 'bench', startedAt: local.clock.now(), settings: {} });
  const inputs = new Inputs(local, session);
  const frames = new Frames(session.folder);
  const marks = new Marks(local, session);
  const begun = local.clock.now();
  let completedJobs = 0;
  const cpuSeconds = await cpuSecondsOf(async () => {
    let acted = 0;
    for (let step = 0; local.clock.now() - begun < days * 24 * hour; step++) {
      if (local.clock.now() - begun >= acted * 3 * hour) await act(local, inputs, acted++);
      await local.clock.advance(paceStepMs);
      marks.note();
      if (step % stepsPerState !== 0) continue;
      const state = await local.readState((step / stepsPerState) % statesPerSnapshotRead === 0);
      JSON.stringify(state);
      frames.note(state);
      completedJobs = state.fleet.completedJobs;
    }
    marks.end();
    session.reached(local.clock.now());
    completedJobs = (await local.readState(false)).fleet.completedJobs;
  });
  return { cpuSeconds, completedJobs };
}

/** Jobs, then a zone that is lost, then the zone again. */
async function act(local: LocalWorld, inputs: Inputs, turn: number): Promise<void> {
  const zone = local.world.aws.zones[0]!;
  if (turn % 3 === 0) await inputs.control('queue-jobs', { count: 12, minutes: 15 } as never);
  else await inputs.control('lose-zone', { zone, lost: turn % 3 === 1 } as never);
}

async function cpuSecondsOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
