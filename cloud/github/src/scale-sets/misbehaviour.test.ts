import { describe, expect, it } from 'vitest';
import { minutes } from '../code-host.test-support.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import { ScaleSetStage, type TestSession } from './scale-set-stage.test-support.ts';

const messages = 'GET /scalesets/message';

async function opened(): Promise<{ stage: ScaleSetStage; session: TestSession }> {
  const stage = new ScaleSetStage();
  const session = await stage.openSession(await stage.create());
  stage.host.registry.queue.enqueue({ durationMs: 10 * minutes, runsOn: ['linux'] });
  return { stage, session };
}

const misbehave = (stage: ScaleSetStage, operation: string, how: Misbehaviour | 'completed-early', times = 1) =>
  stage.engine.faults.add({ service: 'platform', operation, times, effect: { kind: 'misbehave', how } });

describe('the Actions service at fault', () => {
  it('empty-answer: a poll returns 200 without a body, and its message comes again', async () => {
    const { stage, session } = await opened();
    misbehave(stage, messages, 'empty-answer');

    expect(await session.poll()).toMatchObject({ status: 200, body: '' });
    expect(await session.next()).toEqual(['JobAssigned job-1']);
  });

  it('byte-order-mark: a body begins with one', async () => {
    const { stage, session } = await opened();
    misbehave(stage, messages, 'byte-order-mark');
    const headers = { authorization: `Bearer ${session.token}`, 'x-scalesetmaxcapacity': '1' };
    const bytes = new Uint8Array(await (await stage.fetch(session.queueUrl, { headers })).arrayBuffer());

    expect([...bytes.slice(0, 4)]).toEqual([0xef, 0xbb, 0xbf, 0x7b]);
  });

  it('session-gone: refreshing is a 404, another session can be opened and has what was not acknowledged', async () => {
    const { stage, session } = await opened();
    const { body } = await session.poll();
    misbehave(stage, 'PATCH /_apis/runtime/runnerscalesets/{id}/sessions/{session}', 'session-gone');

    expect((await session.refresh()).status).toBe(404);
    expect((await session.poll()).status).toBe(401);
    expect((await (await stage.openSession(session.set)).poll()).body.messageId).toBe(body.messageId);
  });

  it('scale-set-gone: nothing is known of the set, its session and its runners, and its job waits for another', async () => {
    const { stage, session } = await opened();
    await session.next();
    await stage.addRunner(session.set, 'i-1');
    misbehave(stage, messages, 'scale-set-gone');

    expect((await session.poll()).status).toBe(401);
    const refreshed = await session.refresh();
    expect([refreshed.status, refreshed.body.typeName]).toEqual([
      404,
      expect.stringContaining('RunnerScaleSetNotFoundException'),
    ]);
    expect(stage.host.registry.runners).toEqual([]);
    expect(await (await stage.openSession(await stage.create())).next()).toEqual(['JobAssigned job-1']);
  });

  it('no-queue-address: a session is opened without the address of its messages', async () => {
    const { stage, session } = await opened();
    await session.close();
    misbehave(stage, 'POST /_apis/runtime/runnerscalesets/{id}/sessions', 'no-queue-address');

    expect((await stage.openSession(session.set)).queueUrl).toBe('');
  });

  it('statistics-high and statistics-zero: the counts are wrong, the events are right', async () => {
    const { stage, session } = await opened();
    misbehave(stage, messages, 'statistics-high');
    const high = await session.poll();
    misbehave(stage, messages, 'statistics-zero');
    const zero = await session.poll();

    expect([high.body.statistics.totalAssignedJobs, zero.body.statistics.totalAssignedJobs]).toEqual([16, 0]);
    expect([high.events.length, zero.events.length]).toEqual([1, 1]);
  });

  it('message-ids-restart: the next message has a number that was there before', async () => {
    const { stage, session } = await opened();
    await session.next();
    const last = session.lastMessageId;
    misbehave(stage, messages, 'message-ids-restart');
    stage.host.registry.queue.enqueue({ durationMs: minutes, runsOn: ['linux'] });

    expect((await session.poll()).status).toBe(202);
    expect((await session.poll(10, 0)).body.messageId).toBe(last);
  });

  it('completed-early: a job that runs is called completed, and its runner can be removed from under it', async () => {
    const { stage, session } = await opened();
    misbehave(stage, 'JobStarted', 'completed-early');
    await session.next();
    const { id } = await stage.addRunner(session.set, 'i-1');
    const listener = stage.connect(id);
    await stage.clock.advance(5_000);
    const [one] = listener.jobs;
    listener.connection.run(one!).started();
    await session.next();
    await stage.clock.advance(5 * minutes);

    expect(await session.next()).toEqual(['JobCompleted job-1 succeeded']);
    expect([one!.state, session.set.assigned.size]).toEqual(['running', 0]);
    expect((await stage.call(`DELETE _apis/distributedtask/pools/0/agents/${id}`)).status).toBe(204);
    expect([one!.state, one!.lostBecause]).toEqual(['lost', 'runner-removed']);
  });

  it('an outage refuses requests, and breaks the poll that was open when it began', async () => {
    const { stage, session } = await opened();
    await session.next();
    const polling = session.poll();
    const over = stage.engine.faults.add({ service: 'platform', effect: { kind: 'error', status: 503 } });

    expect(await polling).toMatchObject({ status: 502, body: expect.stringContaining('DOCTYPE') });
    expect((await session.refresh()).status).toBe(503);
    over();
    expect((await session.poll()).status).toBe(202);
  });
});
