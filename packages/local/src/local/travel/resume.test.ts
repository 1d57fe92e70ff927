import { appendFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DroverIo } from '@drover/operator/io';
import { describe, expect, it } from 'vitest';
import { Session } from '../session.ts';
import type { OpenedWorld } from './opened-world.ts';
import { resume } from './resume.ts';

const minute = 60_000;

function sessionWithMarks(...ats: readonly number[]): Session {
  const session = new Session(mkdtempSync(join(tmpdir(), 'drover-resume-')));
  session.begin({ version: 1, seed: 'test', startedAt: 0, settings: {} });
  for (const at of ats) session.mark({ at, digest: `at ${at}` });
  session.reached(25 * minute);
  return session;
}

/** Resumes in worlds whose replays find another course from these moments on. */
async function resumeWith(session: Session, otherFrom: { readonly quick?: number; readonly wire?: number }) {
  const deployed: string[] = [];
  const said: string[] = [];
  const deploy = async (quick: boolean) => {
    const way = quick ? 'quick' : 'wire';
    deployed.push(way);
    const local = { clock: { now: () => 0 } };
    return { local, inputs: { replay: async () => otherFrom[way] }, session } as unknown as OpenedWorld;
  };
  const io = { stderr: (text: string) => said.push(text) } as unknown as DroverIo;
  await resume(io, deploy, session.read()!, () => {});
  return { deployed, said: said.join('') };
}

describe('resuming a session of drover local', () => {
  it('every call of a session without marks is replayed', async () => {
    expect((await resumeWith(sessionWithMarks(), {})).deployed).toEqual(['wire']);
  });

  it('the quick replay is enough when the marks fit', async () => {
    const session = sessionWithMarks(10 * minute);
    expect((await resumeWith(session, {})).deployed).toEqual(['quick']);
    expect(session.read()?.marks).toHaveLength(1);
  });

  it('when the quick replay takes another course every call is replayed in a new world', async () => {
    const session = sessionWithMarks(10 * minute);
    const { deployed, said } = await resumeWith(session, { quick: 10 * minute });
    expect(deployed).toEqual(['quick', 'wire']);
    expect(said).toContain('by 00:10:00 simulated the quick replay took another course');
    expect(said).not.toContain('another version');
    expect(session.read()?.marks).toHaveLength(1);
  });

  it('when every replay takes another course, a line says so, and the marks are forgotten', async () => {
    const session = sessionWithMarks(10 * minute, 20 * minute);
    const { said } = await resumeWith(session, { quick: 10 * minute, wire: 20 * minute });
    expect(said).toContain('another version of drover: by 00:20:00 simulated something else happened');
    expect(session.read()?.marks).toEqual([]);
  });
});

describe('the marks of a session', () => {
  it('one that a crash cut off is left out', () => {
    const session = sessionWithMarks(10 * minute);
    appendFileSync(join(session.folder, 'marks.ndjson'), '{"at":1200000,"dig');
    expect(session.read()).toMatchObject({ marks: [{ at: 10 * minute }], endedAt: 25 * minute });
  });

  it('a session that was killed had come as far as its last mark', () => {
    expect(sessionWithMarks(10 * minute, 30 * minute).read()?.endedAt).toBe(30 * minute);
  });

  it('a branch takes those before it', () => {
    const session = sessionWithMarks(10 * minute, 20 * minute);
    expect(new Session(session.branch(15 * minute)).read()).toMatchObject({
      marks: [{ at: 10 * minute }],
      endedAt: 15 * minute,
    });
  });
});
