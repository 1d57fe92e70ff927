import { deregistrationSeconds, restartTag, trafficTag } from '@drover/core/names/search-cluster';
import { type GroupInstance, inService } from '../../model/lifecycle.ts';
import { askedIn, isTarget, replyIn, type TargetGroup, type TrafficReply } from '../../model/traffic.ts';

/** The facts from Auto Scaling, EC2 and the load balancers. */
export interface TargetFacts {
  readonly instances: readonly GroupInstance[];
  /** Undefined when they could not be read. */
  readonly targetGroups: readonly TargetGroup[] | undefined;
}

export type TargetAction =
  | { readonly kind: 'register-target'; readonly instanceId: string; readonly targetGroup: string }
  | {
      readonly kind: 'deregister-target';
      readonly instanceId: string;
      readonly targetGroups: readonly string[];
      readonly reply: TrafficReply;
    }
  | { readonly kind: 'reply'; readonly instanceId: string; readonly reply: TrafficReply };

/** A node that has asked to get no requests. */
interface Asking {
  readonly instance: GroupInstance;
  readonly askedAt: number;
}

/**
 * Decides which nodes are targets: every one in service, but one that restarts in place. Only one at a time is taken out, so that no
 * zone loses all of its targets at once, and never the last healthy one.
 */
export function decideTargets({ instances, targetGroups }: TargetFacts, now: number): readonly TargetAction[] {
  if (targetGroups === undefined) return [];
  const serving = instances.filter(
    ({ lifecycleState, terminated }) => lifecycleState === inService && terminated !== true,
  );
  const asking = serving.flatMap((instance): Asking[] => {
    const askedAt = askedIn(instance.tags[restartTag], now);
    return askedAt === undefined ? [] : [{ instance, askedAt }];
  });
  const missing = serving.filter((instance) => asking.every((one) => one.instance !== instance)).flatMap(absences);
  const turn = asking.toSorted((a, b) => a.askedAt - b.askedAt).sort((a, b) => Number(isOut(b)) - Number(isOut(a)))[0];
  return [
    ...missing.map(({ instanceId, group }) => ({
      kind: 'register-target' as const,
      instanceId,
      targetGroup: group.arn,
    })),
    ...(turn === undefined ? [] : letGo(turn, new Set(missing.map(({ group }) => group)))),
  ];

  function absences({ instanceId, groupName }: GroupInstance) {
    return groupsOf(groupName)
      .filter((group) => !isTarget(group, instanceId))
      .map((group) => ({ instanceId, group }));
  }

  function groupsOf(groupName: string): readonly TargetGroup[] {
    return targetGroups!.filter((group) => group.groupName === groupName);
  }

  function isOut({ instance: { instanceId, groupName } }: Asking): boolean {
    return groupsOf(groupName).every((group) => !isTarget(group, instanceId));
  }

  /** A group with a target that is being registered or checked for the first time is soon another one: the node asks again. */
  function letGo(one: Asking, changing: ReadonlySet<TargetGroup>): readonly TargetAction[] {
    const { instance, askedAt } = one;
    const { instanceId } = instance;
    const replied = replyIn(instance.tags[trafficTag])?.askedAt === askedAt;
    const reply = { askedAt, awayAt: now + deregistrationSeconds * 1000 };
    if (isOut(one)) return replied ? [] : [{ kind: 'reply', instanceId, reply }];
    const held = groupsOf(instance.groupName).filter((group) => isTarget(group, instanceId));
    const others = (group: TargetGroup) => group.targets.filter((target) => target.instanceId !== instanceId);
    const isAmong = (state: string) => (group: TargetGroup) => others(group).some((target) => target.state === state);
    if (held.some((group) => changing.has(group)) || held.some(isAmong('initial'))) return [];
    if (!held.every(isAmong('healthy')))
      return replied ? [] : [{ kind: 'reply', instanceId, reply: { askedAt, awayAt: undefined } }];
    return [{ kind: 'deregister-target', instanceId, targetGroups: held.map(({ arn }) => arn), reply }];
  }
}
