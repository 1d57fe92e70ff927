/**
 * `npm run test:runner -- removal [ROUNDS]`: the function of the product takes the labels of an idle runner and removes it at GitHub while a job is
 * on its way to it. The moment at which it begins is swept in steps of 25 ms, from 2 s before the message to 3 s after it. Prints how the rounds
 * ended.
 */
import { listening, type OriginalBench, reasonToSkip } from '@drover/cloud-github/testing';
import { jsonLogger } from '@drover/core';
import { addToOrder, drainOrderFile, parseOrder } from '@drover/runner-agent';
import { emptyMemory, guardTerminations, type HostReport, type SentCommand } from '@drover/runner-fleet';
import { describe, expect, it } from 'vitest';
import { originalHost, reasonWithoutFirewall, watchOriginal } from './original-host.ts';
import { build, playRounds, type Round, type RoundEnd, realSleep, rounds } from './races.ts';

const reason = reasonToSkip(build) || reasonWithoutFirewall();
const minutes = 60_000;
const label = 'large';
/** Real milliseconds after the message; few rounds reach over the whole range, too. */
const momentOf = (number: number): number => -2_000 + ((number * 77) % 200) * 25;

/** The passes of the function over one instance that leaves. */
function functionOver(bench: OriginalBench, files: Map<string, string>, report: () => HostReport | undefined) {
  const { clock } = bench.engine;
  const { registry } = bench.host;
  const sent: SentCommand[] = [];
  const since = clock.now();
  let memory = emptyMemory;
  const instance = { id: 'runner', lifecycleState: 'Terminating:Wait', healthy: true, protectedFromScaleIn: false };
  const found = () => registry.runners.find(({ name }) => name === 'runner');
  return () =>
    guardTerminations({
      clock,
      log: jsonLogger({ clock, write: () => {} }),
      group: {
        read: async () => ({
          name: 'runners',
          minSize: 0,
          maxSize: 1,
          desiredCapacity: 0,
          instances: [{ ...instance, inWarmPool: false }],
          hasWarmPool: false,
        }),
      },
      hooks: { complete: async () => 'accepted', heartbeat: async () => 'accepted' },
      times: { startedAt: async () => new Map([['runner', since]]) },
      secrets: { delete: async () => {} },
      runners: {
        async findByName() {
          const runner = found();
          if (runner === undefined) return undefined;
          const customLabels = runner.labels.slice(runner.readOnlyLabels);
          const { id, name, labels } = runner;
          return { id, name, labels, customLabels, status: 'online' as const, busy: registry.reportedBusy(runner) };
        },
        keepLabels: async (id, labels) => void registry.setLabels(id, labels),
        async remove(id) {
          if (found() === undefined) return 'absent';
          if (registry.reportedBusy(found()!)) return 'busy';
          registry.remove(id);
          return 'removed';
        },
      },
      reports: {
        async read() {
          const last = report();
          return new Map(last === undefined ? [] : [['runner', last]]);
        },
      },
      commands: {
        async send(_id, command) {
          const said = { removed: command.includes('removed'), platformUnreachable: command.includes('unreachable') };
          const order = addToOrder(parseOrder(files.get(drainOrderFile)), said, clock.now());
          files.set(drainOrderFile, JSON.stringify(order));
          sent.push({ command, sentAt: clock.now(), outcome: 'succeeded' });
          return 'sent';
        },
        recent: async () => sent,
      },
      memory: {
        read: async () => memory,
        async update(change) {
          memory = change(memory);
        },
      },
      allowedDrainTimeMs: 24 * 60 * minutes,
    });
}

async function play({ bench, listener, uid }: Round, number: number): Promise<RoundEnd> {
  const { clock } = bench.engine;
  const { queue } = bench.host.registry;
  const { host, files, close } = originalHost(bench, listener, uid);
  const limit = new AbortController();
  let leaves = false;
  let last: HostReport | undefined;
  const target = () => (leaves ? 'Terminated' : 'InService');
  const watching = watchOriginal(bench, host, target, limit.signal, (report) => {
    last = report;
  });
  const enqueue = () => queue.enqueue({ durationMs: 20_000, labels: [label] });
  const moment = momentOf(number);
  try {
    // Before the message: the function begins first, and the job is queued that much later.
    const queued = moment < 0 ? realSleep(-moment).then(enqueue) : Promise.resolve(enqueue());
    if (moment >= 0) {
      while (!bench.requests().some(({ message }) => message)) await realSleep(1);
      await realSleep(moment);
    }
    leaves = true;
    const pass = functionOver(bench, files, () => last);
    const passing = (async () => {
      for (; !limit.signal.aborted; await clock.sleep(minutes)) await pass();
    })();
    const job = await queued;
    await watching;
    limit.abort();
    await passing;
    const done = () => job.endedAt !== undefined || (job.acquiredAt === undefined && job.state === 'queued');
    await bench.until(done, 15 * minutes);
    if (job.state === 'completed') return 'completed';
    if (job.acquiredAt !== undefined) return 'lost';
    // The queue forgets to whom it was sent; the listener's polls do not.
    return bench.requests().some(({ message }) => message) ? 'dispatch gap' : 'never sent';
  } finally {
    limit.abort();
    close();
  }
}

describe.skipIf(reason !== '')(`the removal of an idle runner, with GitHub's own runner (${build}) ${reason}`, () => {
  it(`a job that is on its way to a runner which the function removes is not lost, and none is started twice: ${rounds} rounds`, async () => {
    const { ends, startedTwice, starts } = await playRounds(play, (bench, env) =>
      listening(bench, env, '--labels', label),
    );
    console.log(`removal: ${JSON.stringify(ends)}, ${starts} starts, ${startedTwice} jobs started twice`);

    expect([ends.lost ?? 0, startedTwice]).toEqual([0, 0]);
    expect(Object.values(ends).reduce((sum, times) => sum + times, 0)).toBe(rounds);
  });
});
