import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Observation } from '@drover/observation/api';
import { describe, expect, it } from 'vitest';
import { Session } from '../session.ts';
import { Frames, lastFrame } from './frames.ts';

const minute = 60_000;
const at = (now: number) => ({ clock: { now } }) as Observation;
const control = (moment: number) => ({ at: moment, channel: 'control' as const, request: {} });

function sessionOfTenMinutes(): Session {
  const session = new Session(mkdtempSync(join(tmpdir(), 'drover-frames-')));
  session.begin({ version: 1, seed: 's', startedAt: 0, settings: {} });
  const frames = new Frames(session.folder);
  for (let now = 0; now <= 10 * minute; now += minute / 2) frames.note(at(now));
  for (const moment of [minute, 5 * minute, 9 * minute]) session.note(control(moment));
  session.reached(10 * minute);
  return session;
}

describe('recorded frames of a session', () => {
  it('one frame a simulated minute is kept, and a moment shows the last frame before it', () => {
    const { folder } = sessionOfTenMinutes();
    const frames = new Frames(folder);
    expect(frames.moments).toHaveLength(11);
    expect(frames.at(4.5 * minute)?.clock.now).toBe(4 * minute);
    expect(frames.at(-1)).toBeUndefined();
    expect(lastFrame(folder)?.clock.now).toBe(10 * minute);
    expect(lastFrame(join(folder, 'nowhere'))).toBeUndefined();
  });

  it('the frame from right before an incident stays while those around it are thinned out, also after a restart', () => {
    const { folder } = sessionOfTenMinutes();
    new Frames(folder).keep(at(4.5 * minute + 0.25));
    const frames = new Frames(folder);
    for (let now = 11 * minute; now <= 400 * minute; now += minute) frames.note(at(now));
    expect(frames.moments.filter((moment) => moment < 10 * minute)).toEqual([0, 4.5 * minute + 0.25]);
    expect(new Frames(folder).at(5 * minute)?.clock.now).toBe(4.5 * minute + 0.25);
  });

  it('a branch has what came in and was seen up to its moment, and takes the place of its session, to which one can return', () => {
    const session = sessionOfTenMinutes();
    const branch = new Session(session.branch(5 * minute));
    expect(branch.read()).toMatchObject({ inputs: [control(minute), control(5 * minute)], endedAt: 5 * minute });
    expect(new Frames(branch.folder).moments.at(-1)).toBe(5 * minute);
    expect(session.read()?.endedAt).toBe(10 * minute);

    branch.takePlaceOf(session.folder);
    branch.reached(6 * minute);
    expect(session.read()?.endedAt).toBe(6 * minute);
    expect(session.course).toMatchObject({ id: 1, branchedAt: 5 * minute });
    expect(session.otherCourses).toEqual([{ id: 0, branchedAt: undefined, playedUntil: 10 * minute }]);
    expect(new Session(session.folderOf(0)).read()?.inputs).toHaveLength(3);

    new Session(session.folderOf(0)).takePlaceOf(session.folder);
    expect(session.course.id).toBe(0);
    expect(session.read()).toMatchObject({ endedAt: 10 * minute, inputs: { length: 3 } });
    expect(new Frames(session.folder).moments).toHaveLength(11);
    expect(session.otherCourses).toEqual([{ id: 1, branchedAt: 5 * minute, playedUntil: 6 * minute }]);
    expect(() => session.folderOf(7)).toThrow('there is no timeline 7');
    session.clear();
    expect(readdirSync(session.folder)).toEqual([]);
  });

  it('the original and the five newest branches that were left are kept', () => {
    const session = sessionOfTenMinutes();
    for (let made = 0; made < 8; made++) new Session(session.branch(5 * minute)).takePlaceOf(session.folder);
    expect(session.course.id).toBe(8);
    expect(session.otherCourses.map(({ id }) => id)).toEqual([0, 3, 4, 5, 6, 7]);
  });
});
