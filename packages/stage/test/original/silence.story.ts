/**
 * `npm run test:runner -- silence [ROUNDS]`: a host that stops alone falls silent while a job is on its way to GitHub's own runner; half of the
 * rounds 0 to 300 ms after its message, the others up to 3 s. Prints how they ended.
 */

import { listening, reasonToSkip } from '@drover/cloud-github/testing';
import { addToOrder, drainOrderFile } from '@drover/runner-agent';
import { describe, expect, it } from 'vitest';
import { originalHost, reasonWithoutFirewall, watchOriginal } from './original-host.ts';
import { build, playRounds, type Round, type RoundEnd, realSleep, rounds } from './races.ts';

const reason = reasonToSkip(build) || reasonWithoutFirewall();
const minutes = 60_000;
/** Rounds in which silence fell between the acquisition and the first renewal. */
let between = 0;

/** Real milliseconds after the message. */
const momentOf = (number: number): number =>
  number % 2 === 0 ? ((number / 2) * 10) % 300 : 300 + ((number * 27) % 2_700);

async function play({ bench, listener, uid }: Round, number: number): Promise<RoundEnd> {
  const { clock } = bench.engine;
  const { queue } = bench.host.registry;
  const { host, files, close } = originalHost(bench, listener, uid);
  const silence: typeof host.silence = async (stage) => {
    if (stage === 'new-connections' && queue.jobs.length === 0) {
      const job = queue.enqueue({ durationMs: 20_000 });
      while (!bench.requests().some(({ message }) => message)) await realSleep(1);
      await realSleep(momentOf(number));
      await host.silence(stage);
      if (job.acquiredAt !== undefined && job.startedAt === undefined) between += 1;
      return;
    }
    await host.silence(stage);
  };
  files.set(drainOrderFile, JSON.stringify(addToOrder(undefined, { platformUnreachable: true }, clock.now())));
  const limit = new AbortController();
  try {
    await watchOriginal(bench, { ...host, silence }, () => 'Terminated', limit.signal);
    const [job] = queue.jobs;
    // Whatever was begun is over by now, or its lease is soon.
    const done = () => job!.endedAt !== undefined || (job!.acquiredAt === undefined && job!.state === 'queued');
    await bench.until(done, 15 * minutes);
    if (job!.state === 'completed') return 'completed';
    return job!.acquiredAt === undefined ? 'dispatch gap' : 'lost';
  } finally {
    limit.abort();
    close();
  }
}

describe.skipIf(reason !== '')(`silence before a stop, with GitHub's own runner (${build}) ${reason}`, () => {
  it(`no job that was acquired is lost by the silence of its host, and none is started twice: ${rounds} rounds`, async () => {
    const { ends, startedTwice, starts } = await playRounds(play, (bench, env) => listening(bench, env));
    console.log(
      `silence: ${JSON.stringify(ends)}, ${starts} starts, ${startedTwice} jobs started twice, ${between} between acquisition and first renewal`,
    );

    expect([ends.lost ?? 0, startedTwice]).toEqual([0, 0]);
    expect((ends.completed ?? 0) + (ends['dispatch gap'] ?? 0)).toBe(rounds);
  });
});
