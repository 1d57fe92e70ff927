import type { Machine, Program, ServiceDefinition } from '@drover/cloud-machines';
import { MachineFixture } from '@drover/cloud-machines/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { CodeHost } from '../../code-host.ts';
import { listenerName, workerName } from '../runner-files.ts';
import { type JobHooks, runnerSoftware } from './simulated-software.ts';

const minutes = 60_000;
const user = 'actions-runner';
let fixture: MachineFixture;
let machine: Machine;
let host: CodeHost;

beforeEach(async () => {
  fixture = new MachineFixture();
  machine = await fixture.launch();
  host = new CodeHost(fixture.world.engine, { org: 'example-org' });
  host.join(fixture.world.network);
});

const processes = () => machine.processes().map(({ name }) => name);
const queue = () => host.registry.queue;

/** Configures the runner and starts it as a service. */
async function startRunner(hooks: JobHooks = {}, unit: Partial<ServiceDefinition> = {}): Promise<void> {
  const { config, listener } = runnerSoftware(host, { hooks });
  machine.defineCommand('config.sh', config);
  const env = { ACTIONS_RUNNER_INPUT_TOKEN: host.registry.mintToken('registration').token };
  const line = "config.sh --unattended --url 'https://github.com/example-org' --name runner";
  await fixture.until(machine.runCommand(line, { env, user }));
  machine.defineService({ name: listenerName, program: listener, user, stopSignal: 'SIGINT', ...unit });
  machine.startService(listenerName);
  await fixture.clock.advance(1_000);
}

describe('the runner software as a service of a machine', () => {
  it('config.sh refuses to run as root', async () => {
    machine.defineCommand('config.sh', runnerSoftware(host).config);

    const { exitCode, stderr } = await fixture.until(machine.runCommand('config.sh --unattended'));

    expect([exitCode, stderr]).toEqual([1, 'Must not run with sudo\n']);
  });

  it('a listener takes no job whose message arrives while it is being stopped', async () => {
    await startRunner();
    const job = queue().enqueue({ durationMs: 5 * minutes });
    await fixture.until(machine.stopService(listenerName));
    await fixture.clock.advance(70_000);

    expect(job.startedAt).toBeUndefined();
    expect(queue().waiting).toEqual([job]);
  });

  it('[rule 19] a job is lost when its job-completed hook stops the runner: it is not complete before', async () => {
    const stopsTheRunner: Program = async (context) => {
      expect(queue().jobs[0]!.state).toBe('running');
      await context.machine.stopService(listenerName);
      return 0;
    };
    await startRunner({ completed: stopsTheRunner }, { killMode: 'process' });
    const job = queue().enqueue({ durationMs: 5 * minutes });

    await fixture.clock.advance(6 * minutes);

    expect(job).toMatchObject({ state: 'lost', lostBecause: 'cancelled' });
    expect(processes()).toEqual([]);
  });

  it('[rule 19] a Worker exists until the job-completed hook has ended', async () => {
    const slow: Program = async ({ clock }) => {
      await clock.sleep(3 * minutes);
      return 0;
    };
    await startRunner({ completed: slow });
    const job = queue().enqueue({ durationMs: 5 * minutes });

    await fixture.clock.advance(7 * minutes);
    expect([job.state, processes().includes(workerName)]).toEqual(['running', true]);
    await fixture.clock.advance(2 * minutes);

    expect(job.state).toBe('completed');
  });

  it('a listener that its firewall keeps from GitHub picks no job up; another gets it after a minute', async () => {
    await startRunner();
    machine.cutOff(user, true);
    const job = queue().enqueue({ durationMs: 5 * minutes });
    await fixture.clock.advance(59_000);
    expect([job.state, job.acquiredAt]).toEqual(['dispatched', undefined]);
    machine.cutOff(user, false);
    await fixture.clock.advance(30_000);

    expect(job.state).toBe('running');
  });

  it('a listener that comes back after an outage takes the job that it is offered last, and none of the messages before', async () => {
    await startRunner();
    const effect = { kind: 'error', status: 503 } as const;
    const disarm = fixture.world.engine.faults.add({ service: 'platform', effect });
    await fixture.clock.advance(16 * minutes);
    disarm();
    const jobs = [1, 2, 3].map(() => queue().enqueue({ durationMs: 1_000 }));
    await fixture.clock.advance(15 * minutes);

    expect(jobs.map(({ state }) => state)).toEqual(['completed', 'completed', 'completed']);
    const exits = fixture.world.engine.journal.entries.filter(({ name }) => name === 'process-exit');
    expect(exits.map(({ detail }) => detail?.process)).not.toContain(listenerName);
  });

  it('a job is abandoned when a firewall keeps its runner from GitHub: the loss names no request that GitHub missed', async () => {
    await startRunner();
    const job = queue().enqueue({ durationMs: 30 * minutes });
    await fixture.clock.advance(1 * minutes);
    machine.cutOff(user, true);
    await fixture.clock.advance(15 * minutes);

    expect(queue().lossOf(job)).toMatchObject({ cause: 'runner-vanished', unanswered: 0 });
  });

  it('a unit that restarts on failure brings a listener back after an outage that ended it', async () => {
    await startRunner({}, { restart: 'on-failure', restartDelayMs: 5_000, restartPreventExitStatus: [1, 5, 7] });
    const effect = { kind: 'error', code: 'ECONNREFUSED' } as const;
    const disarm = fixture.world.engine.faults.add({ service: 'platform', effect });
    await fixture.clock.advance(30 * minutes);
    disarm();
    await fixture.clock.advance(2 * minutes);
    const job = queue().enqueue({ durationMs: 1_000 });
    await fixture.clock.advance(10_000);

    expect(job.state).toBe('completed');
    const exits = fixture.world.engine.journal.entries.filter(({ detail }) => detail?.exitCode === 2);
    expect(exits).toHaveLength(1);
  });

  it('a job whose machine loses its power is lost when its lease ends', async () => {
    await startRunner();
    const job = queue().enqueue({ durationMs: 30 * minutes });
    await fixture.clock.advance(1 * minutes);
    machine.lose('crashed');
    await fixture.clock.advance(8 * minutes);
    expect(job.state).toBe('running');
    await fixture.clock.advance(3 * minutes);

    expect(job).toMatchObject({ state: 'lost', lostBecause: 'runner-vanished' });
  });
});
