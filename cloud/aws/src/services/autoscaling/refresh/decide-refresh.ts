/** An instance as a refresh sees it. */
export interface RefreshInstance {
  readonly instanceId: string;
  /** Is to be replaced. */
  readonly outdated: boolean;
  readonly state: 'in-service' | 'launching' | 'pooled';
  /** In service, healthy and past its warm-up. */
  readonly ready: boolean;
  readonly protectedFromScaleIn: boolean;
  /** Kept until its replacement serves. */
  readonly waitingForReplacement: boolean;
}

export interface RefreshFacts {
  readonly instances: readonly RefreshInstance[];
  readonly desiredCapacity: number;
  readonly minHealthyPercentage: number;
  /** Undefined: not set, so old and new change places at the same time. */
  readonly maxHealthyPercentage: number | undefined;
  readonly protectedInstances: 'Wait' | 'Refresh' | 'Ignore';
  readonly cancelling: boolean;
  /** How long it has made no progress. */
  readonly stuckMs: number;
}

type RefreshDecision =
  | { readonly act: 'replace'; readonly terminate: readonly string[]; readonly launchFirst: readonly string[] }
  | { readonly act: 'wait'; readonly for: 'replacements' | 'protected' }
  | { readonly act: 'succeed' | 'cancelled' }
  | { readonly act: 'fail'; readonly because: string };

/** "waits one hour for you to remove scale-in protection; otherwise, the instance refresh will fail": RefreshPreferences. */
export const patienceMs = 3_600_000;

/** The next step of a rolling instance refresh: How an instance refresh works in an Auto Scaling group. */
export function decideRefresh(facts: RefreshFacts): RefreshDecision {
  const live = facts.instances.filter((instance) => instance.state !== 'pooled');
  const settled = isSettled(live, facts.desiredCapacity);
  if (facts.cancelling) return settled ? { act: 'cancelled' } : { act: 'wait', for: 'replacements' };
  const { replaceable, blocked } = sortOut(live, facts);
  const batch = nextBatch(replaceable, live, facts);
  if (batch !== undefined) return { act: 'replace', ...batch };
  if (replaceable.length > 0 || !settled) return waitOrFail(facts, 'replacements');
  if (blocked) return waitOrFail(facts, 'protected');
  return decidePool(facts);
}

/** Everything that should serve serves, and nothing waits for its replacement. */
function isSettled(live: readonly RefreshInstance[], desired: number): boolean {
  const ready = live.filter((instance) => instance.ready && !instance.waitingForReplacement).length;
  return ready >= desired && live.every((i) => !i.waitingForReplacement && i.state !== 'launching');
}

/** Which outdated instances may be replaced now, and whether scale-in protection keeps others waiting. */
function sortOut(live: readonly RefreshInstance[], facts: RefreshFacts) {
  const replaceable: RefreshInstance[] = [];
  let blocked = false;
  for (const instance of live) {
    if (!instance.outdated || instance.waitingForReplacement || instance.state === 'launching') continue;
    if (!instance.protectedFromScaleIn || facts.protectedInstances === 'Refresh') replaceable.push(instance);
    else if (facts.protectedInstances === 'Wait') blocked = true;
  }
  return { replaceable, blocked };
}

/**
 * How many go now: as many as the minimum healthy percentage allows to be missing, and as many as the maximum allows on top.
 * Where neither leaves room, one at a time: new before old if a maximum was set, else both at once (MaxHealthyPercentage).
 */
function nextBatch(replaceable: readonly RefreshInstance[], live: readonly RefreshInstance[], facts: RefreshFacts) {
  const { desiredCapacity: desired, minHealthyPercentage: least, maxHealthyPercentage: most } = facts;
  const ready = live.filter((instance) => instance.ready && !instance.waitingForReplacement).length;
  const waiting = live.filter((instance) => instance.waitingForReplacement).length;
  const unready = Math.max(0, desired - waiting - ready);
  const mayMiss = Math.floor((desired * (100 - least)) / 100);
  const mayExceed = most === undefined ? 0 : Math.floor((desired * (most - 100)) / 100);
  const oneByOne = mayMiss === 0 && mayExceed === 0;
  const terminate = replaceable.slice(0, Math.max(0, (oneByOne && most === undefined ? 1 : mayMiss) - unready));
  const rest = replaceable.slice(terminate.length);
  const launchFirst = rest.slice(0, Math.max(0, (oneByOne && most !== undefined ? 1 : mayExceed) - waiting));
  if (terminate.length + launchFirst.length === 0) return undefined;
  return { terminate: ids(terminate), launchFirst: ids(launchFirst) };
}

/** The warm pool comes last. */
function decidePool(facts: RefreshFacts): RefreshDecision {
  const pool = facts.instances.filter((instance) => instance.state === 'pooled');
  const outdated = pool.filter((instance) => instance.outdated);
  if (outdated.length > 0) return { act: 'replace', terminate: ids(outdated), launchFirst: [] };
  return { act: 'succeed' };
}

function waitOrFail(facts: RefreshFacts, what: 'replacements' | 'protected'): RefreshDecision {
  if (facts.stuckMs < patienceMs) return { act: 'wait', for: what };
  const reasons = {
    replacements: 'Replacement instances did not become healthy in time.',
    protected: 'Some instances are protected from scale in and could not be replaced.',
  };
  return { act: 'fail', because: reasons[what] };
}

const ids = (instances: readonly RefreshInstance[]) => instances.map((instance) => instance.instanceId);
