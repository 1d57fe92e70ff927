import type { GroupFacts, HostReport } from '../../model/fleet.ts';

/** How many instances a group is to have, and how many serve or come. */
interface Size {
  desired: number;
  present: number;
}

/** The sizes of a group and of its on-demand fallback, as they are after what has been decided so far. */
export interface Sizes {
  readonly main: Size;
  readonly fallback: Size | undefined;
}

export interface SizeAction {
  readonly kind: 'set-desired';
  readonly capacity: number;
  /** @default the group itself */
  readonly of?: 'fallback';
}

type Group = Pick<GroupFacts, 'instances' | 'desiredCapacity' | 'fallback'>;

/** Members that serve or come, and stay. */
export const isPresent = ({ inWarmPool, lifecycleState, isTaken }: GroupFacts['instances'][number]): boolean =>
  !inWarmPool && isTaken !== true && /^(Pending|InService)/.test(lifecycleState);

/** The group, with what its hosts say of notices: it would replace these members itself, as spot. */
export const withTaken = (group: GroupFacts, reports: ReadonlyMap<string, HostReport>): GroupFacts => ({
  ...group,
  instances: group.instances.map((each) => ({ ...each, isTaken: reports.get(each.id)?.reclaimed === true })),
});

export function sizesOf({ instances, desiredCapacity, fallback }: Group): Sizes {
  const presentIn = (inFallback: boolean) =>
    instances.filter((each) => isPresent(each) && (each.isFallback === true) === inFallback).length;
  return {
    main: { desired: desiredCapacity - (fallback?.desiredCapacity ?? 0), present: presentIn(false) },
    fallback: fallback && { desired: fallback.desiredCapacity, present: presentIn(true) },
  };
}

/** The host leaves; its group becomes smaller by it, unless that wants none already. */
export function leaves({ main, fallback }: Sizes, { instances }: Group, instanceId: string): boolean {
  const { isFallback = false, isTaken = false } = instances.find(({ id }) => id === instanceId) ?? {};
  const size = isFallback && fallback !== undefined ? fallback : main;
  // Its place may have been given up before.
  if (isTaken && size.desired <= size.present) return false;
  if (!isTaken) size.present = Math.max(0, size.present - 1);
  if (size.desired === 0) return false;
  size.desired -= 1;
  return true;
}

export interface SizeFacts {
  readonly maxSize: number;
  /** How many there should be in both together. */
  readonly wanted: number;
  readonly spotIsClosed: boolean;
}

/**
 * A group alone is only ever made larger: it would choose itself who goes. Beside a fallback one of the two takes what is wanted, and the other one
 * gives up what it could not launch, first: together they never have more than the maximum. Pure.
 */
export function decideSizes({ main, fallback }: Sizes, facts: SizeFacts): readonly SizeAction[] {
  const { wanted, maxSize, spotIsClosed } = facts;
  if (fallback === undefined) return main.desired < wanted ? [{ kind: 'set-desired', capacity: wanted }] : [];
  const [gives, takes] = spotIsClosed ? [main, fallback] : [fallback, main];
  const left = filled(gives);
  const most = Math.max(filled(takes), maxSize - left);
  const taken = Math.min(most, Math.max(takes.desired, wanted - left));
  return [
    ...resized(gives, left, spotIsClosed ? 'main' : 'fallback'),
    ...resized(takes, taken, spotIsClosed ? 'fallback' : 'main'),
  ];
}

const filled = ({ desired, present }: Size) => Math.min(desired, present);

const resized = ({ desired }: Size, capacity: number, of: keyof Sizes): SizeAction[] =>
  capacity === desired ? [] : [{ kind: 'set-desired', capacity, ...(of === 'fallback' ? { of } : {}) }];
