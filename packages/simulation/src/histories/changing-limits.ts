import { defaults, type ScalingMode, typeGroupName } from '@drover/core/names/runner-fleet';
import type { DeployedFleet } from '@drover/stage/fleet';
import type { FleetLimits } from '@drover/stage/testing';
import type { DrawnFleet } from './draw-inputs.ts';
import { historyTypes } from './options/draw-options.ts';

/** Sizes of a group, with its on-demand fallback, while deployments change them. */
export class ChangingSizes {
  readonly #fleet: DeployedFleet;
  readonly #groupName: string;
  #ceiling = 0;

  constructor(fleet: DeployedFleet, groupName: string) {
    this.#fleet = fleet;
    this.#groupName = groupName;
  }

  get minSize(): number {
    return this.#group?.minSize ?? 0;
  }

  /** Busy instances above a lowered maximum end their jobs first. */
  get maxSize(): number {
    const { maxSize = 0, members = new Map<string, { readonly state: string }>() } = this.#group ?? {};
    const serving = [...members.values()].filter(({ state }) => /^(Pending|InService)/.test(state)).length;
    this.#ceiling = serving <= maxSize ? maxSize : Math.max(this.#ceiling, maxSize);
    return this.#ceiling;
  }

  get #group() {
    return this.#fleet.group(this.#groupName);
  }
}

/** Promises of a type while deployments change it. */
export class TypeLimits extends ChangingSizes {
  readonly #idleTarget: () => number;

  constructor(fleet: DeployedFleet, group: string, idleTarget: () => number) {
    super(fleet, group);
    this.#idleTarget = idleTarget;
  }

  get idleTarget(): number {
    return this.#idleTarget();
  }
}

/** Promises of a fleet's inputs while deployments change them. Work from before a change may end by the old ones. */
export class ChangingLimits extends ChangingSizes implements FleetLimits {
  readonly longestBootMs = 40 * 60_000;
  readonly types: FleetLimits['types'] & object;
  readonly #inputs: () => DrawnFleet;
  #shortest = Number.POSITIVE_INFINITY;
  #longest = 0;

  constructor(fleet: DeployedFleet, inputs: () => DrawnFleet) {
    super(fleet, fleet.groupName);
    this.#inputs = inputs;
    const limits = historyTypes.map((name) => {
      const idleTarget = () => inputs().types?.[name]?.idleRunnersTargetCount ?? 0;
      return [name, new TypeLimits(fleet, typeGroupName(fleet.groupName, name), idleTarget)] as const;
    });
    this.types = Object.fromEntries(limits);
  }

  /** With the demand's idle target for a fleet that begins in jobs mode. */
  forMode(mode: ScalingMode): FleetLimits {
    return mode === 'jobs' ? Object.defineProperty(this, 'jobs', { value: this }) : this;
  }

  /** These inputs are about to be deployed. */
  expect({ allowedDrainTime = defaults.allowedDrainTimeSeconds }: DrawnFleet): void {
    this.#shortest = Math.min(this.#shortest, allowedDrainTime * 1_000);
    this.#longest = Math.max(this.#longest, allowedDrainTime * 1_000);
  }

  get allowedDrainTimeMs(): number {
    return this.#shortest;
  }

  get longestDrainTimeMs(): number {
    return this.#longest;
  }

  get idleTarget(): number {
    return this.#inputs().idleRunnersTargetCount;
  }
}
