import type { Machine, Program, ServiceDefinition } from '@drover/cloud-machines';
import { MachineFixture } from '@drover/cloud-machines/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { CodeHost } from '../code-host.ts';
import { listenerName, runnerFile, runnerListener } from './listener.ts';
import { type JobHooks, workerName } from './worker.ts';

const minutes = 60_000;
let fixture: MachineFixture;
let machine: Machine;
let host: CodeHost;

beforeEach(async () => {
  fixture = new MachineFixture();
  machine = await fixture.launch();
  host = new CodeHost(fixture.world.engine, { org: 'example-org' });
});

const processes = () => machine.processes().map(({ name }) => name);
const queue = () => host.registry.queue;

/** Starts the runner's service on the machine, registered as `runner`. */
async function startRunner(hooks: JobHooks = {}, unit: Partial<ServiceDefinition> = {}): Promise<void> {
  const { token } = host.registry.mintToken('registration');
  const { id, name } = host.registry.register({ token, name: 'runner', labels: [] });
  machine.files.set(runnerFile, JSON.stringify({ id, name }));
  machine.defineService({ name: listenerName, program: runnerListener(host.registry, { hooks }), ...unit });
  machine.startService(listenerName);
  await fixture.clock.settle();
}

const exiting =
  (code: number, afterMs = 0, seen: string[] = []): Program =>
  async (context) => {
    seen.push(context.name);
    await context.clock.sleep(afterMs);
    return code;
  };

describe('the runner software', () => {
  it('runs a job in a Worker process and is free again afterwards', async () => {
    await startRunner();
    const job = queue().enqueue({ durationMs: 5 * minutes });

    await fixture.clock.advance(1 * minutes);
    expect(job.state).toBe('running');
    expect(processes()).toEqual([listenerName, workerName]);
    await fixture.clock.advance(5 * minutes);

    expect(job.state).toBe('completed');
    expect(processes()).toEqual([listenerName]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('[rule 19] cancels its job when the Worker gets %s', async (signal) => {
    await startRunner();
    const job = queue().enqueue({ durationMs: 5 * minutes });
    await fixture.clock.advance(1 * minutes);

    machine
      .processes()
      .find(({ name }) => name === workerName)!
      .signal(signal);
    await fixture.clock.settle();

    expect(queue().lossOf(job)).toMatchObject({ cause: 'cancelled', workerExisted: true });
    expect(processes()).toEqual([listenerName]);
  });

  it('[rule 19] cancels its job when only the listener is interrupted: there is no way to let it finish', async () => {
    await startRunner({}, { killMode: 'process' });
    const job = queue().enqueue({ durationMs: 5 * minutes });
    await fixture.clock.advance(1 * minutes);

    await fixture.until(machine.stopService(listenerName));

    expect(job).toMatchObject({ state: 'lost', lostBecause: 'cancelled' });
    expect(processes()).toEqual([]);
  });

  it('[rule 19] fails the job when the job-started hook fails, before the job has done anything', async () => {
    await startRunner({ started: exiting(1, 2_000) });
    const job = queue().enqueue({ durationMs: 5 * minutes });

    await fixture.clock.advance(20_000);

    expect(job).toMatchObject({ state: 'lost', lostBecause: 'hook-failed' });
    expect(processes()).toEqual([listenerName]);
  });

  it('[rule 19] runs the job-completed hook before the job is complete: stopping the runner in it costs the job', async () => {
    const stopsTheRunner: Program = async (context) => {
      expect(queue().jobs[0]!.state).toBe('running');
      await context.machine.stopService(listenerName);
      return 0;
    };
    await startRunner({ completed: stopsTheRunner });
    const job = queue().enqueue({ durationMs: 5 * minutes });

    await fixture.clock.advance(6 * minutes);

    expect(job).toMatchObject({ state: 'lost', lostBecause: 'cancelled' });
  });

  it('[rule 19] has a Worker until the job-completed hook has ended', async () => {
    const seen: string[] = [];
    await startRunner({ started: exiting(0, 1_000, seen), completed: exiting(0, 3 * minutes, seen) });
    const job = queue().enqueue({ durationMs: 5 * minutes });

    await fixture.clock.advance(7 * minutes);
    expect(job.state).toBe('running');
    expect(processes()).toContain(workerName);
    await fixture.clock.advance(2 * minutes);

    expect(job.state).toBe('completed');
    expect(seen).toEqual(['job-started', 'job-completed']);
  });

  it('loses the job when the Worker is killed', async () => {
    await startRunner();
    const job = queue().enqueue({ durationMs: 5 * minutes });
    await fixture.clock.advance(1 * minutes);

    machine
      .processes()
      .find(({ name }) => name === workerName)!
      .signal('SIGKILL');
    await fixture.clock.settle();

    expect(job).toMatchObject({ state: 'lost', lostBecause: 'worker-killed' });
  });

  it('takes no job whose message arrives while it is being stopped', async () => {
    await startRunner();
    const job = queue().enqueue({ durationMs: 5 * minutes });
    await fixture.until(machine.stopService(listenerName));
    await fixture.clock.advance(70_000);

    expect(job.startedAt).toBeUndefined();
    expect(queue().waiting).toEqual([job]);
  });

  it('picks no job up while nothing of its user leaves the machine; one that it has, it runs', async () => {
    await startRunner();
    machine.cutOff('root', true);
    const missed = queue().enqueue({ durationMs: 5 * minutes });
    await fixture.clock.advance(30_000);
    expect(missed.state).toBe('dispatched');
    await fixture.clock.advance(29_000);
    machine.cutOff('root', false);
    await fixture.clock.advance(10_000);

    expect(missed.state).toBe('running');
    machine.cutOff('root', true);
    await fixture.clock.advance(6 * minutes);
    expect(missed.state).toBe('completed');
  });

  it('connects again after an outage, and after it was killed', async () => {
    const disarm = fixture.world.engine.faults.add({ service: 'platform', effect: { kind: 'timeout' } });
    await startRunner({}, { restart: 'always', restartDelayMs: 5_000 });
    expect(host.registry.isOnline(host.registry.find(1))).toBe(false);
    disarm();
    await fixture.clock.advance(30_000);
    expect(host.registry.isOnline(host.registry.find(1))).toBe(true);

    machine.processes()[0]!.signal('SIGKILL');
    await fixture.clock.advance(3 * minutes);
    const job = queue().enqueue({ durationMs: 1_000 });
    await fixture.clock.advance(10_000);

    expect(job.state).toBe('completed');
  });

  it('ends when its registration was deleted', async () => {
    await startRunner();

    host.registry.remove(1);
    await fixture.clock.advance(1 * minutes);

    expect(machine.serviceState(listenerName)).toBe('failed');
  });
});
