import { type SizeAction, sizesOf, withTaken } from '../../decide/jobs/decide-sizes.ts';
import type { DemandPorts } from '../../jobs-ports.ts';
import type { HostReport } from '../../model/fleet.ts';

/**
 * Changes the size of the group, or of its fallback. Hosts may have come or stayed since it was decided: beside a fallback both are read again, and
 * together they get no more than the maximum. A member that EC2 takes back counts until it is gone.
 */
export async function applySize(
  ports: DemandPorts,
  { capacity, of }: SizeAction,
  reports: ReadonlyMap<string, HostReport>,
): Promise<void> {
  const { size, log } = ports;
  const group = await ports.group.read();
  const { main, fallback } = sizesOf(group);
  if (fallback === undefined) return of === undefined ? await grow(ports, capacity) : undefined;
  const [own, other] = of === undefined ? [main, fallback] : [fallback, main];
  const stays = sizesOf(withTaken(group, reports))[of ?? 'main']?.present ?? 0;
  const room = Math.max(0, group.maxSize - Math.max(other.desired, other.present));
  const next = capacity < own.desired ? Math.max(capacity, Math.min(own.desired, stays)) : Math.min(capacity, room);
  if (capacity > own.desired && next <= own.desired) return;
  await (of === undefined ? size.setDesired(next) : size.setFallbackDesired(next));
  log.info(next < own.desired ? 'what the group could not launch is given up' : 'the group grows', {
    capacity: next,
    ...(of === undefined ? {} : { of }),
  });
}

export async function grow({ size, log }: DemandPorts, capacity: number): Promise<void> {
  await size.setDesired(capacity);
  log.info('the group grows', { capacity });
}
