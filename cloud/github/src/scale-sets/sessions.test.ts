import { describe, expect, it } from 'vitest';
import { minutes } from '../code-host.test-support.ts';
import { at, ScaleSetStage, type TestSession } from './scale-set-stage.test-support.ts';

async function opened(): Promise<{ stage: ScaleSetStage; session: TestSession }> {
  const stage = new ScaleSetStage();
  return { stage, session: await stage.openSession(await stage.create()) };
}

describe('a session of a scale set', () => {
  it('a session is the only one, until it is closed; closing it twice is refused', async () => {
    const { stage, session } = await opened();
    const second = await stage.call(`POST ${at(session.set)}/sessions`, { body: { ownerName: 'other' } });

    expect(second.status).toBe(409);
    expect(second.body.typeName).toContain('RunnerScaleSetSessionConflictException');
    expect((await session.close()).status).toBe(204);
    expect(await session.close()).toMatchObject({
      status: 400,
      body: { typeName: expect.stringContaining('RunnerScaleSetSessionExpiredException') },
    });
    await stage.openSession(session.set);
  });

  it('gets another token by a refresh, by whichever process; the old one is void', async () => {
    const { session } = await opened();
    const [old, refreshed] = [session.token, await session.refresh()];
    expect(refreshed).toMatchObject({ status: 200, body: { sessionId: session.id } });
    expect((await session.poll()).status).toBe(401);
    session.take(refreshed.body);
    expect(session.token).not.toBe(old);
    expect((await session.poll()).status).toBe(202);
  });

  it('a session has a token that is void after 50 minutes, while it is polled all the time', async () => {
    const { session } = await opened();
    const statuses: number[] = [];
    for (let minute = 0; minute < 61; minute++) statuses.push((await session.poll()).status);

    expect(statuses.indexOf(401)).toBe(60);
    session.take((await session.refresh()).body);
    expect((await session.poll()).status).toBe(202);
  });

  it('lives ten minutes without a request; then a refresh is a 404 and another can be opened', async () => {
    const { stage, session } = await opened();
    await stage.clock.advance(9 * minutes);
    session.take((await session.refresh()).body);
    await stage.clock.advance(9 * minutes);
    expect((await session.poll()).status).toBe(202);
    await stage.clock.advance(10 * minutes);

    expect((await session.poll()).status).toBe(401);
    expect(await session.refresh()).toMatchObject({
      status: 404,
      body: { typeName: expect.stringContaining('RunnerAdminException') },
    });
    await stage.openSession(session.set);
  });
});

describe('the message queue of a scale set', () => {
  const jobs = (stage: ScaleSetStage, count: number) => {
    for (let number = 0; number < count; number++)
      stage.host.registry.queue.enqueue({ durationMs: minutes, runsOn: ['linux'] });
  };

  it('says after 50 seconds that there is nothing, and sends what happens in a moment together', async () => {
    const { stage, session } = await opened();
    const began = stage.clock.now();
    expect((await session.poll()).status).toBe(202);
    expect(stage.clock.now() - began).toBe(50_000);

    stage.clock.after(10_000, () => jobs(stage, 3));
    const { events, body } = await session.poll();
    expect(events.length).toBe(3);
    expect(stage.clock.now() - began).toBeLessThan(62_000);
    expect(body).toMatchObject({ messageType: 'RunnerScaleSetJobMessages', statistics: { totalAssignedJobs: 3 } });
    expect(events[0]).toMatchObject({ runnerRequestId: 0, jobId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it('sends a message again until it is acknowledged, unless the client asks for later ones', async () => {
    const { stage, session } = await opened();
    jobs(stage, 1);
    const first = await session.poll();
    jobs(stage, 1);
    const again = await session.poll();
    const later = await session.poll(10, first.body.messageId);
    expect([again.body.messageId, later.body.messageId]).toEqual([first.body.messageId, first.body.messageId + 1]);
    expect(again.body.statistics.totalAssignedJobs).toBe(2);

    expect((await session.acknowledge(first.body.messageId)).status).toBe(204);
    expect((await session.poll()).body.messageId).toBe(later.body.messageId);
    await session.acknowledge(later.body.messageId);
    expect((await session.poll()).status).toBe(202);
  });

  it('keeps what was not acknowledged for the next session', async () => {
    const { stage, session } = await opened();
    jobs(stage, 1);
    const { body } = await session.poll();
    await session.close();

    expect((await (await stage.openSession(session.set)).poll()).body.messageId).toBe(body.messageId);
  });

  it('puts at most 50 events into a message, with statistics of all', async () => {
    const { stage, session } = await opened();
    jobs(stage, 70);
    const first = await session.poll(100);
    const second = await session.poll(100, first.body.messageId);

    expect([first.events.length, second.events.length]).toEqual([50, 20]);
    expect(first.body.statistics.totalAssignedJobs).toBe(70);
  });

  it('assigns no more jobs than the client said it could have runners for', async () => {
    const { stage, session } = await opened();
    jobs(stage, 5);
    expect(await session.next(0)).toEqual([]);
    expect(await session.next(2)).toHaveLength(2);
    expect(stage.host.scaleSets.statistics(session.set)).toMatchObject({ totalAvailableJobs: 3, totalAssignedJobs: 2 });
    expect(await session.next(2)).toEqual([]);
    expect(await session.next(4)).toHaveLength(2);
  });

  it('ends the poll before when the client polls again, and refuses a poll without the capacity', async () => {
    const { stage, session } = await opened();
    const first = stage.request('GET', session.queueUrl, session.token, undefined, { 'x-scalesetmaxcapacity': '1' });
    const second = session.poll();

    expect([(await first).status, (await second).status]).toEqual([202, 202]);
    expect((await stage.request('GET', session.queueUrl, session.token)).status).toBe(400);
  });
});
