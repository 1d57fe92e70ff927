import { listening, openOriginal, reasonToSkip } from '@drover/cloud-github/testing';
import { addToOrder, drainOrderFile } from '@drover/runner-agent';
import { describe, expect, it } from 'vitest';
import { originalHost, reasonWithoutFirewall, watchOriginal } from '../original-host.ts';

const reason = reasonToSkip('fast') || reasonWithoutFirewall();
const minutes = 60_000;

/** The host falls silent just before the response to the acquisition leaves: the first renewal needs another connection. */
async function silencedAtAcquisition(uid: number, behindProxy: boolean) {
  const bench = await openOriginal('fast', { uid, behindProxy });
  const { clock } = bench.engine;
  const { queue } = bench.host.registry;
  try {
    const listener = await listening(bench);
    const { host, files, close } = originalHost(bench, listener, uid);
    let begunBeforeLift: boolean | undefined;
    const stages: string[] = [];
    const silence: typeof host.silence = async (stage) => {
      if (stage === 'new-connections' && queue.jobs.length === 0) {
        const fallen = new Promise<void>((resolve, reject) => {
          bench.responding = ({ what }) => {
            if (what === 'acquire') host.silence(stage).then(resolve, reject);
          };
        });
        queue.enqueue({ durationMs: 20_000 });
        await fallen;
      } else await host.silence(stage);
      if (stage === 'off') begunBeforeLift ??= queue.jobs[0]?.startedAt !== undefined;
      stages.push(stage);
    };
    try {
      files.set(drainOrderFile, JSON.stringify(addToOrder(undefined, { platformUnreachable: true }, clock.now())));
      await watchOriginal(bench, { ...host, silence }, () => 'Terminated', new AbortController().signal);
      await bench.until(() => queue.jobs[0]!.endedAt !== undefined, 15 * minutes);
      return { job: queue.jobs[0]!, stages, begunBeforeLift, proxied: bench.proxied() };
    } finally {
      close();
    }
  } finally {
    await bench.close();
  }
}

describe.skipIf(reason !== '').concurrent(`silence of a host with GitHub's own runner (fast) ${reason}`, () => {
  it('a job acquired in the moment of silence runs to its end where all services share one address', async () => {
    const { job, stages, begunBeforeLift } = await silencedAtAcquisition(42_001, false);

    expect([job.state, begunBeforeLift]).toEqual(['completed', false]);
    expect(stages.slice(0, 2)).toEqual(['new-connections', 'off']);
  });

  it('a job acquired in the moment of silence runs to its end where a proxy stands before GitHub', async () => {
    const { job, stages, begunBeforeLift, proxied } = await silencedAtAcquisition(42_002, true);

    expect([job.state, begunBeforeLift]).toEqual(['completed', false]);
    expect(stages.slice(0, 2)).toEqual(['new-connections', 'off']);
    expect(proxied).toBeGreaterThan(10);
  });
});
