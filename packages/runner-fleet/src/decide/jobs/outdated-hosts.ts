import type { HostReport } from '../../model/fleet.ts';
import { decideRollout, type RolloutFacts } from '../decide-rollout.ts';

/**
 * Idle hosts whose runner software is old and that go now, as many at a time as in idle mode. Only hosts that wait long for their job get
 * old; a job that comes meanwhile is finished in the drain.
 */
export function outdatedIdleHosts(
  { group, release }: Pick<RolloutFacts, 'group' | 'release'>,
  reportOf: (instanceId: string) => HostReport | undefined,
  now: number,
): readonly string[] {
  const online = { id: 0, status: 'online', labels: ['of a scale set'] } as const;
  const runners = new Map(
    group.instances.flatMap(({ id }) => {
      const report = reportOf(id);
      return report?.phase === 'serving' ? [[id, { ...online, name: id, busy: report.workers > 0 }] as const] : [];
    }),
  );
  const reportedVersion = (id: string) => reportOf(id)?.runnerVersion;
  return decideRollout({ group, release, runners, reportedVersion }, now).flatMap(({ instance, runner }) =>
    runner.busy ? [] : [instance.id],
  );
}
