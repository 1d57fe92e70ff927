import { countBy } from '../launch/placement.ts';

/** An instance in service, as termination policies see it. */
export interface ScaleInCandidate {
  readonly instanceId: string;
  readonly zone: string;
  readonly protectedFromScaleIn: boolean;
  readonly spot: boolean;
  readonly launchedAt: number;
  readonly template: { readonly id: string; readonly version: string };
}

export interface ScaleInFacts {
  readonly candidates: readonly ScaleInCandidate[];
  readonly count: number;
  readonly policies: readonly string[];
  /** The group's own template: instances of another one count as older. */
  readonly currentTemplateId: string;
  /** In a mixed group: how many on-demand instances are to remain for the capacity after scale-in. */
  readonly onDemandTarget: number | undefined;
  readonly now: number;
}

const hourMs = 3_600_000;

/**
 * Which instances go, one after the other: the purchase option that has too many, then the zone with the most instances
 * (of those with an unprotected one), then the termination policies in their order
 * (Configure termination policies for Amazon EC2 Auto Scaling). `pick` breaks the last tie.
 */
export function decideScaleIn(
  facts: ScaleInFacts,
  pick: (from: readonly ScaleInCandidate[]) => ScaleInCandidate,
): readonly string[] {
  const remaining = [...facts.candidates];
  const chosen: string[] = [];
  while (chosen.length < facts.count) {
    const next = decideOne(remaining, facts, pick);
    if (next === undefined) break;
    chosen.push(next.instanceId);
    remaining.splice(remaining.indexOf(next), 1);
  }
  return chosen;
}

function decideOne(
  all: readonly ScaleInCandidate[],
  facts: ScaleInFacts,
  pick: (from: readonly ScaleInCandidate[]) => ScaleInCandidate,
): ScaleInCandidate | undefined {
  const open = byPurchaseOption(all, facts).filter((candidate) => !candidate.protectedFromScaleIn);
  if (open.length === 0) return undefined;
  let left: readonly ScaleInCandidate[] = inFullestZone(all, open);
  for (const policy of facts.policies) {
    if (left.length === 1) break;
    left = applyPolicy(policy, left, facts);
  }
  return left.length === 1 ? left[0] : pick(left);
}

/** Default termination policy and mixed instances groups: first, which of Spot and On-Demand is to go. */
function byPurchaseOption(all: readonly ScaleInCandidate[], facts: ScaleInFacts): readonly ScaleInCandidate[] {
  if (facts.onDemandTarget === undefined) return all;
  const onDemand = all.filter((candidate) => !candidate.spot);
  const spot = all.filter((candidate) => candidate.spot);
  const preferred = onDemand.length > facts.onDemandTarget ? onDemand : spot;
  return preferred.some((candidate) => !candidate.protectedFromScaleIn) ? preferred : all;
}

function inFullestZone(all: readonly ScaleInCandidate[], open: readonly ScaleInCandidate[]) {
  const perZone = countBy(all, (candidate) => candidate.zone);
  const most = Math.max(...open.map((candidate) => perZone.get(candidate.zone)!));
  return open.filter((candidate) => perZone.get(candidate.zone) === most);
}

function applyPolicy(
  policy: string,
  left: readonly ScaleInCandidate[],
  facts: ScaleInFacts,
): readonly ScaleInCandidate[] {
  switch (policy) {
    case 'OldestLaunchTemplate':
      return oldestTemplate(left, facts);
    case 'OldestInstance':
      return lowest(left, (candidate) => candidate.launchedAt);
    case 'NewestInstance':
      return lowest(left, (candidate) => -candidate.launchedAt);
    case 'ClosestToNextInstanceHour':
      return closestToNextHour(left, facts.now);
    case 'Default':
      return closestToNextHour(oldestTemplate(left, facts), facts.now);
    default:
      return left; // OldestLaunchConfiguration: nothing here was launched from one
  }
}

/** Instances of another template first, then the oldest version of the current one. */
function oldestTemplate(left: readonly ScaleInCandidate[], facts: ScaleInFacts): readonly ScaleInCandidate[] {
  const other = left.filter((candidate) => candidate.template.id !== facts.currentTemplateId);
  return other.length > 0 ? other : lowest(left, (candidate) => Number(candidate.template.version));
}

const closestToNextHour = (left: readonly ScaleInCandidate[], now: number) =>
  lowest(left, (candidate) => hourMs - ((now - candidate.launchedAt) % hourMs));

function lowest<T>(items: readonly T[], measure: (item: T) => number): readonly T[] {
  const least = Math.min(...items.map(measure));
  return items.filter((item) => measure(item) === least);
}
