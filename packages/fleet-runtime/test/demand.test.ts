import type { FaultEffect } from '@drover/cloud-engine';
import { emptyMemory } from '@drover/runner-fleet';
import { describe, expect, it } from 'vitest';
import { DemandStage } from './demand-stage.ts';

const minute = 60_000;
const sessions = '/_apis/runtime/runnerscalesets/{id}/sessions';

function misbehave(stage: DemandStage, operation: string | undefined, how: string, times?: number): () => void {
  const effect = { kind: 'misbehave', how } as FaultEffect;
  const rule = { service: 'platform', ...(operation === undefined ? {} : { operation }), effect };
  return stage.engine.faults.add(times === undefined ? rule : { ...rule, times });
}

describe('windows of the demand', () => {
  it('the first window makes the scale set and its session, the next ones attach to it', async () => {
    const stage = new DemandStage();
    expect(await stage.windows(3)).toEqual([]);

    const routes = stage.asked.map((line) =>
      line.replace(/https:\/\/[^/]+(\/[\w-]{40})?/, '').replace(/[0-9a-f-]{36}/, 'S'),
    );
    const once = (method: string) => routes.filter((route) => route.startsWith(`${method} /`));
    expect(once('POST')).toEqual([
      'POST /orgs/example-org/actions/runners/registration-token',
      'POST /actions/runner-registration',
      'POST /_apis/runtime/runnerscalesets?api-version=6.0-preview',
      'POST /_apis/runtime/runnerscalesets/1/sessions?api-version=6.0-preview',
    ]);
    expect(once('PATCH')).toEqual(
      Array(2).fill('PATCH /_apis/runtime/runnerscalesets/1/sessions/S?api-version=6.0-preview'),
    );
    expect(stage.set.settings.labels.map(({ name }) => name)).toEqual(['runners', 'linux-large']);
    expect(JSON.stringify(stage.memory)).not.toMatch(/eyJ/);
    expect(stage.memory.jobs?.lease).toBeUndefined();
  });

  it('labels that change are given to the scale set once', async () => {
    const stage = new DemandStage();
    await stage.window();
    stage.labels = ['arm'];
    await stage.windows(3);

    expect(stage.set.settings.labels.map(({ name }) => name)).toEqual(['runners', 'arm']);
    expect(stage.asked.filter((line) => /PATCH .*runnerscalesets\/1\?/.test(line))).toHaveLength(1);
  });

  it('a burst of 100 jobs on an empty fleet is one decision of +100 within one window', async () => {
    const stage = new DemandStage();
    await stage.window();
    stage.enqueue(100);
    await stage.window();

    expect(stage.capacities).toEqual([100]);
    expect(Object.keys(stage.memory.jobs!.jobs!)).toHaveLength(100);
  });

  it('the idle target and the limits of the group bound what is wanted', async () => {
    const stage = new DemandStage();
    stage.idleTarget = 2;
    await stage.window();
    expect(stage.desired).toBe(2);

    stage.enqueue(200);
    await stage.window();
    expect(stage.desired).toBe(100);
    expect(stage.memory.jobs!.statistics).toMatchObject({ assigned: 100, available: 100 });
  });

  it.each([
    ['200 without a body to every poll', 'GET /scalesets/message', 'empty-answer', undefined],
    ['a byte order mark before every response', undefined, 'byte-order-mark', undefined],
    ['a session that is evicted', `PATCH ${sessions}/{session}`, 'session-gone', 1],
    ['a session that is evicted during a poll', 'GET /scalesets/message', 'session-gone', 1],
    ['a scale set that is gone', `PATCH ${sessions}/{session}`, 'scale-set-gone', 1],
    ['a scale set that is gone during a poll', 'GET /scalesets/message', 'scale-set-gone', 1],
    ['a new session without the address of its queue', `POST ${sessions}`, 'no-queue-address', 1],
    ['a session without the address of its queue', `PATCH ${sessions}/{session}`, 'no-queue-address', 1],
    ['message ids that begin again', 'GET /scalesets/message', 'message-ids-restart', 1],
  ])('the fleet has what it needs three minutes later with %s', async (_, operation, how, times) => {
    const stage = new DemandStage();
    await stage.windows(2);
    misbehave(stage, operation, how, times);
    stage.enqueue(3);
    const thrown = await stage.windows(4);

    expect(stage.desired).toBe(3);
    expect(thrown.length).toBeLessThanOrEqual(2);
    expect(await stage.window()).toBeUndefined();
  });

  it('while all statistics are zero the events of jobs are what is needed at least', async () => {
    const stage = new DemandStage();
    await stage.window();
    misbehave(stage, undefined, 'statistics-zero');
    stage.enqueue(3);
    await stage.window();

    expect(stage.desired).toBe(3);
  });

  it('statistics that are too high launch nothing more while as many runners have been idle for 15 minutes', async () => {
    const stage = new DemandStage();
    await stage.window();
    misbehave(stage, `PATCH ${sessions}/{session}`, 'statistics-high');
    await stage.window();
    expect(stage.desired).toBe(15);
    for (let id = 0; id < 15; id++) await stage.addHost(`i-${id}`);
    for (let passed = 0; passed < 17; passed++) {
      for (const id of stage.instances.keys()) stage.report(id);
      await stage.window();
    }
    expect(stage.memory.jobs).toMatchObject({ notTaken: 15 });

    await stage.clock.advance(minute);
    stage.desired = 14;
    await stage.window();
    expect(stage.desired).toBe(14);
    expect(stage.terminated).toEqual([]);
  });

  it('a session of another owner is waited for; after five windows the log says that it is wrong', async () => {
    const stage = new DemandStage();
    await stage.window();
    stage.host.scaleSets.evict(stage.set);
    stage.host.scaleSets.openSession(stage.set, 'somebody');
    await stage.windows(5);
    expect(stage.lines.filter((line) => line.includes('does not end'))).toHaveLength(1);
    expect(stage.memory.jobs).toMatchObject({ conflicts: 5, heldBy: 'somebody' });

    stage.host.scaleSets.evict(stage.set);
    stage.enqueue();
    await stage.windows(2);
    expect(stage.desired).toBe(1);
    expect(stage.memory.jobs).toMatchObject({ conflicts: 0 });
    expect(stage.memory.jobs).not.toHaveProperty('heldBy');
  });

  it('one window at a time: the lease of one that died is waited for', async () => {
    const stage = new DemandStage();
    await stage.window();
    stage.memory = {
      ...stage.memory,
      jobs: { ...stage.memory.jobs, lease: { until: stage.clock.now() + 10_000 } },
    };
    stage.enqueue();
    await stage.window();
    expect(stage.desired).toBe(1);

    stage.enqueue();
    stage.memory = {
      ...stage.memory,
      jobs: { ...stage.memory.jobs, lease: { until: stage.clock.now() + 70_000 } },
    };
    await stage.window();
    expect(stage.desired).toBe(1);
  });

  it.each([
    ['nothing', 0, 0],
    ['its minimum', 1, 0],
    ['the idle target', 0, 1],
  ])(
    'hosts that have finished go while the service is away, and the group shrinks to %s',
    async (_, minSize, idleTarget) => {
      const stage = new DemandStage();
      await stage.window();
      stage.enqueue(3);
      await stage.window();
      for (const id of ['i-a', 'i-b', 'i-c']) await stage.addHost(id, { workers: 1 });
      stage.engine.faults.add({ service: 'platform', effect: { kind: 'error', status: 503 } });
      Object.assign(stage.limits, { minSize });
      Object.assign(stage, { idleTarget });
      stage.report('i-a', { phase: 'finished' });

      expect(await stage.window()).toMatchObject({ message: expect.stringContaining('503') });
      expect([stage.terminated, stage.desired, [...stage.instances.keys()]]).toEqual([['i-a'], 2, ['i-b', 'i-c']]);

      for (const id of ['i-b', 'i-c']) stage.report(id, { phase: 'finished' });
      await stage.window();
      expect([stage.desired, stage.instances.size]).toEqual(Array(2).fill(minSize + idleTarget));
    },
  );

  it('an idle surplus goes after its runners are removed at the service; a runner with a job stays', async () => {
    const stage = new DemandStage();
    await stage.window();
    stage.desired = 2;
    await stage.addHost('i-idle');
    await stage.addHost('i-busy');
    const busy = stage.host.registry.runners.find(({ name }) => name === 'i-busy')!;
    busy.job = stage.enqueue()[0]!;
    for (let passed = 0; passed < 10; passed++) {
      for (const id of stage.instances.keys()) stage.report(id);
      await stage.window();
    }

    expect(stage.terminated).toEqual(['i-idle']);
    expect(stage.host.registry.runners.map(({ name }) => name)).toEqual(['i-busy']);
  });

  it('the runner of an instance that is gone is removed at the service', async () => {
    const stage = new DemandStage();
    await stage.window();
    await stage.addHost('i-a');
    await stage.window();
    stage.instances.delete('i-a');
    await stage.windows(3);

    expect(stage.host.registry.runners).toEqual([]);
    expect(stage.memory.jobs!.hosts).toEqual({});
  });

  it('the removal of a runner that was lost with its job is asked for every three minutes until GitHub has given the job up', async () => {
    const stage = new DemandStage();
    await stage.window();
    await stage.addHost('i-a');
    stage.host.registry.runners[0]!.job = stage.enqueue()[0]!;
    await stage.window();
    stage.instances.delete('i-a');
    await stage.windows(10);

    const asked = stage.lines.filter((line) => line.includes('"outcome":"busy"'));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  it('when the memory was lost the history of the group shows whose runners are left', async () => {
    const stage = new DemandStage();
    await stage.window();
    await stage.addHost('i-a');
    await stage.addHost('i-b');
    stage.instances.delete('i-a');
    stage.past.push('i-a', 'i-b');
    stage.memory = emptyMemory;
    stage.host.scaleSets.evict(stage.set);
    await stage.windows(3);

    expect(stage.host.registry.runners.map(({ name }) => name)).toEqual(['i-b']);
  });

  it('the service learns what can be launched: what is there while launches fail', async () => {
    const stage = new DemandStage();
    stage.desired = 3;
    stage.addInstance('i-a', 'Pending:Wait');
    await stage.window();
    expect(stage.set.maxCapacity).toBe(100);

    stage.launchFailedAt = stage.clock.now();
    await stage.window();
    expect(stage.set.maxCapacity).toBe(1);
  });

  it('jobs that are queued while no launch succeeds on an empty fleet are served when launches succeed again', async () => {
    const stage = new DemandStage();
    await stage.window();
    stage.enqueue();
    await stage.window();
    stage.launchFailedAt = stage.clock.now();
    await stage.window();
    const queued = stage.enqueue(2);
    await stage.window();

    stage.launchFailedAt = undefined;
    await stage.window();

    expect(queued.filter((job) => stage.set.assigned.has(job))).toHaveLength(2);
    expect(stage.desired).toBe(3);
  });

  it('on Enterprise Server the offered jobs are acquired', async () => {
    const stage = new DemandStage({ apiUrl: 'https://github.example.com/api/v3' });
    await stage.window();
    stage.enqueue(2);
    await stage.windows(2);

    expect(stage.desired).toBe(2);
    expect(stage.asked.filter((line) => line.includes('acquirejobs'))).toHaveLength(1);
  });

  it('a fleet that may have no instance and has none deletes its runners, its session and its scale set, and makes no other', async () => {
    const stage = new DemandStage();
    stage.idleTarget = 1;
    await stage.window();
    await stage.addHost('i-1');
    await stage.windows(1);
    stage.limits.maxSize = 0;
    stage.desired = 0;
    await stage.window();
    expect(stage.terminated).toEqual(['i-1']);
    expect(stage.set.maxCapacity).toBe(0);
    await stage.window();

    expect([stage.host.scaleSets.all, stage.host.registry.runners]).toEqual([[], []]);
    expect(stage.memory.jobs).toEqual({});
    expect(await stage.windows(2)).toEqual([]);
    expect(stage.host.scaleSets.all).toEqual([]);
  });

  it('a fleet that went back to idle mode deletes its scale set with its session once its last job is over', async () => {
    const stage = new DemandStage();
    await stage.window();
    for (const id of ['i-idle', 'i-busy']) await stage.addHost(id);
    await stage.window();
    const busy = stage.host.registry.runners.find(({ name }) => name === 'i-busy')!;
    const [running, waiting] = stage.enqueue(2);
    busy.job = running!;
    stage.memory = { ...stage.memory, jobs: { ...stage.memory.jobs, lease: { until: stage.clock.now() + 30_000 } } };
    await stage.closeLeft();
    expect(stage.host.registry.runners).toHaveLength(2);

    await stage.clock.advance(minute);
    await stage.closeLeft();
    expect(stage.host.registry.runners.map(({ name }) => name)).toEqual(['i-busy']);
    expect(stage.set.session).toBeDefined();

    delete busy.job;
    await stage.closeLeft();
    expect([stage.host.scaleSets.all, stage.host.registry.runners]).toEqual([[], []]);
    expect(waiting).toMatchObject({ state: 'queued' });
    expect(Object.keys(stage.memory.jobs?.hosts ?? {})).toEqual(['i-idle', 'i-busy']);
    const asked = stage.asked.length;
    stage.instances.clear();
    await stage.closeLeft();
    expect([stage.memory, stage.asked.length]).toEqual([emptyMemory, asked]);
  });

  it('a pass that closes an earlier jobs mode keeps what a window of the next jobs mode notes meanwhile', async () => {
    const stage = new DemandStage();
    await stage.window();
    await stage.addHost('i-idle');
    await stage.window();
    await stage.clock.advance(minute);

    const closing = stage.closeLeft();
    const lease = { until: stage.clock.now() + 50_000 };
    const jobs = { ...stage.memory.jobs, sessionId: 'of the next window', lease };
    stage.memory = { ...stage.memory, jobs };
    await closing;

    expect(stage.memory.jobs).toEqual(jobs);
  });

  it.each(
    [
      '/_apis/distributedtask/pools/0/agents/{id}',
      `${sessions}/{session}`,
      '/_apis/runtime/runnerscalesets/{id}',
    ].flatMap((path) => (['before', 'after'] as const).map((phase) => [phase, path] as const)),
  )(
    'a scale set that is given up is deleted by the next window when one fails just %s DELETE %s',
    async (phase, path) => {
      const stage = new DemandStage();
      stage.idleTarget = 1;
      await stage.window();
      await stage.addHost('i-1');
      await stage.windows(1);
      stage.limits.maxSize = 0;
      stage.desired = 0;
      const operation = `DELETE ${path}`;
      stage.engine.faults.add({
        service: 'platform',
        operation,
        times: 1,
        effect: { kind: 'error', phase, status: 400 },
      });
      let struck = 0;
      stage.engine.journal.subscribe(({ kind }) => {
        if (kind === 'fault') struck += 1;
      });
      await stage.windows(4);

      expect(struck).toBe(1);
      expect([stage.host.scaleSets.all, stage.host.registry.runners]).toEqual([[], []]);
      expect(stage.memory.jobs).toEqual({});
    },
  );

  it('a connection that the service refuses is replaced, once', async () => {
    const stage = new DemandStage();
    await stage.window();
    const operation = `PATCH ${sessions}/{session}`;
    stage.engine.faults.add({ service: 'platform', operation, times: 1, effect: { kind: 'error', status: 401 } });
    stage.enqueue();

    expect(await stage.window()).toBeUndefined();
    expect(stage.desired).toBe(1);
    expect(stage.asked.filter((line) => line.endsWith('registration-token'))).toHaveLength(2);
  });

  it('three hours cost two REST requests each', async () => {
    const stage = new DemandStage();
    stage.windowMs = 1_000;
    await stage.windows(180);

    const rest = stage.asked.filter((line) => line.includes(stage.host.apiUrl));
    expect(rest.length).toBeLessThanOrEqual(8);
    expect(await stage.window()).toBeUndefined();
  });
});
