import type { FleetInstance, GroupFacts } from '../../model/fleet.ts';
import type { BootFailure } from '../../model/memory.ts';
import { recentBootFailures } from '../decide-brake.ts';

/** In the warm pool, ready to be taken. */
export const parked = /^Warmed:(Stopped|Hibernated|Running)$/;

const serves = ({ lifecycleState }: FleetInstance) => lifecycleState === 'InService' || parked.test(lifecycleState);

/** Launched from another version of the template than the group uses now: older, or newer after a roll-back. */
export const isOfOtherTemplate = (
  { launchTemplateVersion: current }: Pick<GroupFacts, 'launchTemplateVersion'>,
  { launchTemplateVersion: own }: FleetInstance,
): boolean => own !== undefined && current !== undefined && own !== current;

/** How far the group's template has come. */
export interface TemplateProgress {
  /** Hosts that serve, the warm pool included, and those of them that were launched from the group's template. */
  readonly hosts: number;
  readonly current: number;
  /** The template has never given a host that serves, and this launch failed: the hosts of before go on. */
  readonly stoppedBy?: BootFailure | undefined;
  /** A launch from the template failed within the hour: no host is given up now. */
  readonly failing: boolean;
}

/** Pure: what AWS says of the instances, and the noted failures, are all that it takes. */
export function templateProgress(
  group: GroupFacts,
  bootFailures: readonly BootFailure[] = [],
  now: number,
): TemplateProgress {
  const hosts = group.instances.filter(serves);
  const current = hosts.filter((host) => !isOfOtherTemplate(group, host)).length;
  const recent = new Set(recentBootFailures(bootFailures, now));
  // A failure without a template is counted while it is new.
  const failures = bootFailures.filter(
    ({ template }) => template === undefined || template === group.launchTemplateVersion,
  );
  const failing = failures.some((failure) => recent.has(failure));
  const last = failures.findLast((failure) => failure.template !== undefined || recent.has(failure));
  const stoppedBy = current === 0 && hosts.length > 0 ? last : undefined;
  return { hosts: hosts.length, current, failing, ...(stoppedBy === undefined ? {} : { stoppedBy }) };
}
