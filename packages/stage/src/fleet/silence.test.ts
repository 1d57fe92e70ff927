import { CodeHost, runnerSoftware } from '@drover/cloud-github';
import type { ProcessContext } from '@drover/cloud-machines';
import { MachineFixture } from '@drover/cloud-machines/testing';
import { jsonLogger } from '@drover/core';
import { runnerService } from '@drover/core/names/runner-fleet';
import { runnerHost } from '@drover/runner-agent';
import { contractConfig } from '@drover/runner-agent/testing';
import { type RunnerHost, watchHost } from '@drover/runner-fleet';
import { expect, it } from 'vitest';
import { leavingInstance } from './leaving-instance.test-support.ts';
import { simulatedKernel } from './simulated-kernel.ts';
import { WakeSignal } from './wake-signals.ts';

const minutes = 60_000;
const directory = '/opt/actions-runner';
const config = contractConfig({ runnerDirectory: directory, runnerUser: runnerService });

/** The agent of an instance that is terminated and gets no command. */
async function watch(context: ProcessContext, host: RunnerHost): Promise<void> {
  await watchHost({
    clock: context.clock,
    log: jsonLogger({ clock: context.clock, write: () => {} }),
    host,
    ...leavingInstance,
  });
}

/** A registered runner on a machine whose agent drains; its listener is silenced this long after a job was acquired. */
async function silencedAfter(ms: number, change: (host: RunnerHost) => RunnerHost = (host) => host) {
  const fixture = new MachineFixture();
  const platform = new CodeHost(fixture.world.engine, { org: 'example-org' });
  platform.join(fixture.world.network);
  const { queue } = platform.registry;
  let stopped = false;
  await fixture.launchWith(async (context) => {
    const { clock } = context;
    const { config: configScript, listener } = runnerSoftware(platform);
    context.machine.defineCommand('config.sh', configScript);
    const env = { ACTIONS_RUNNER_INPUT_TOKEN: platform.registry.mintToken('registration').token };
    const line = "config.sh --unattended --url 'https://github.com/example-org' --name runner";
    await context.machine.runCommand(line, { env, user: runnerService });
    const argv = [`${directory}/bin/Runner.Listener`, 'run'];
    const unit = { name: runnerService, program: listener, user: runnerService, argv, stopSignal: 'SIGINT' } as const;
    context.machine.defineService({ ...unit, killMode: 'process' });
    context.machine.startService(runnerService);
    const kernel = simulatedKernel(context, { signal: new WakeSignal(), commands: {} });
    const host = runnerHost(kernel, config);
    const silence: RunnerHost['silence'] = async (stage) => {
      if (stage === 'new-connections' && queue.jobs.length === 0) {
        const job = queue.enqueue({ durationMs: 2 * minutes });
        while (job.acquiredAt === undefined) await clock.sleep(1);
        await clock.sleep(ms);
      }
      await host.silence(stage);
    };
    await watch(context, change({ ...host, silence }));
    stopped = true;
    return 0;
  });
  await fixture.clock.runUntil(() => stopped, 60 * minutes);
  await fixture.clock.advance(15 * minutes);
  return { job: queue.jobs[0]!, stopped };
}

it.each([0, 50, 99, 101, 5_000])(
  'a job that a listener acquired %i ms before it was silenced runs to its end before the host stops',
  async (ms) => {
    const { job, stopped } = await silencedAfter(ms);

    expect([job.state, stopped]).toEqual(['completed', true]);
  },
);

it('a job that a listener acquired in the moment of its silence would be lost without its word', async () => {
  const { job } = await silencedAfter(50, (host) => ({ ...host, jobBegunAt: async () => undefined }));

  expect([job.state, job.lostBecause, job.startedAt]).toEqual(['lost', 'runner-vanished', undefined]);
});
