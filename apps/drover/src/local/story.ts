import type { DroverIo } from '../io.ts';
import type { LocalWorld } from './local-world.ts';

const minute = 60_000;

interface Promised {
  readonly promise: string;
  readonly kept: boolean;
}

/** `drover local --once`: a fixed story to its end, as fast as the machine can; every promise is checked. */
export async function playStory(io: DroverIo, local: LocalWorld): Promise<number> {
  const { fleet, cluster, clock, world } = local;
  const begun = clock.now();
  const say = (line: string) =>
    io.stdout(`${String(Math.round((clock.now() - begun) / minute)).padStart(4)} min  ${line}\n`);
  const promises: Promised[] = [];
  const until = async (promise: string, reached: () => boolean, minutes: number) => {
    const kept = await clock.runUntil(reached, minutes * minute);
    promises.push({ promise, kept });
    say(kept ? promise : `BROKEN: ${promise}`);
  };
  const { registry } = fleet.codeHost;
  const online = () => registry.runners.filter((runner) => registry.isOnline(runner)).length;
  await until('the runners are online', () => online() >= 2, 60);

  const jobs = Array.from({ length: 6 }, () => registry.queue.enqueue({ durationMs: 10 * minute }));
  await until(
    'six jobs were queued and all run: the fleet grew',
    () => jobs.every(({ state }) => state !== 'queued'),
    60,
  );
  const busy = jobs.find(({ state, runnerName }) => state === 'running' && runnerName !== undefined);
  if (busy?.runnerName !== undefined) {
    await local.call('autoscaling', 'TerminateInstanceInAutoScalingGroup', {
      InstanceId: busy.runnerName,
      ShouldDecrementDesiredCapacity: false,
    });
    say(`${busy.runnerName} is to be terminated while it runs a job`);
  }
  await until('its job was finished first', () => busy?.state === 'completed', 40);
  await until('then it went', () => world.aws.autoscaling.scaler.members.get(busy?.runnerName ?? '') === undefined, 40);

  const green = () => cluster.cluster.services !== undefined;
  promises.push({ promise: 'the cluster has formed', kept: green() });
  const [node] = cluster.inService('search-data');
  if (node !== undefined) {
    await cluster.terminate(node, { replace: true });
    say(`the data node ${node} is to be terminated`);
    await until(
      'it was drained, and a new one is in service',
      () => cluster.stateOf(node) === undefined && cluster.inService('search-data').length >= 3,
      6 * 60,
    );
  }
  local.writer.stop();
  await clock.advance(2 * minute);
  promises.push({ promise: 'the cluster is green', kept: (await cluster.health()) === 'green' });
  const missing = await local.writer.missing();
  promises.push({
    promise: `none of ${local.writer.count} acknowledged documents is lost`,
    kept: missing.length === 0,
  });
  promises.push({ promise: 'no job was lost', kept: registry.queue.losses.length === 0 });
  io.stdout('\n');
  for (const { promise, kept } of promises) io.stdout(`${kept ? 'kept  ' : 'BROKEN'}  ${promise}\n`);
  return promises.every(({ kept }) => kept) ? 0 : 1;
}
