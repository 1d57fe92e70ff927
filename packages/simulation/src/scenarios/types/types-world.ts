import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '@drover/core';
import { typeGroupName } from '@drover/core/names/runner-fleet';
import { DeployedFleet } from '@drover/stage/fleet';
import { type FleetProps, synthesiseFleet } from '@drover/stage/fleet-template';
import type { FleetLimits } from '@drover/stage/testing';
import { TypeLimits } from '../../histories/changing-limits.ts';
import { type DrawnTypes, typeNames } from './draw-types.ts';

const minute = 60_000;
const groupName = 'runners';
/** The default type. */
const inputs = {
  groupName,
  scalingMode: 'jobs',
  asgMinSize: 0,
  asgMaxSize: 8,
  idleRunnersTargetCount: 0,
  warmPoolMaxSize: 0,
} satisfies FleetProps;

/** A fleet whose types come, change and go. */
export class TypesWorld {
  readonly fleet: DeployedFleet;
  readonly random: Random;
  /** As they are deployed. */
  types: DrawnTypes;
  /** Types for which no one asks any more: they are about to be removed. */
  readonly leaving = new Set<string>();

  constructor(seed: number, random: Random, types: DrawnTypes) {
    this.random = random;
    this.types = types;
    const assembly = this.#assembly(types);
    this.fleet = new DeployedFleet({ assembly, groupName, types: typeNames, seed, transport: 'direct' });
  }

  get limits(): FleetLimits {
    const types = typeNames.map((name) => {
      const idleTarget = () => this.types[name]?.idleRunnersTargetCount ?? 0;
      return [name, new TypeLimits(this.fleet, this.groupOf(name), idleTarget)] as const;
    });
    return {
      allowedDrainTimeMs: 900_000,
      minSize: inputs.asgMinSize,
      maxSize: inputs.asgMaxSize,
      jobs: { idleTarget: inputs.idleRunnersTargetCount },
      types: Object.fromEntries(types),
    };
  }

  groupOf(type: string): string {
    return typeGroupName(groupName, type);
  }

  /** Types that take jobs. */
  get open(): readonly string[] {
    return Object.keys(this.types).filter((type) => !this.leaving.has(type));
  }

  async deploy(types: DrawnTypes): Promise<void> {
    this.types = types;
    await this.fleet.update(this.#assembly(types));
  }

  /** A job of a type, or of the default one, unless no one asks for it any more. */
  enqueue(type: string | undefined, durationMs: number): void {
    if (type !== undefined && !this.open.includes(type)) return;
    const { extraLabels = [] } = type === undefined ? {} : (this.types[type] ?? {});
    const name = type === undefined ? groupName : this.groupOf(type);
    this.fleet.codeHost.registry.queue.enqueue({ durationMs, runsOn: [this.random.pick([name, ...extraLabels])] });
  }

  /** No one asks for the type any more, and its jobs have begun; false: they still wait after two hours. */
  async isLeft(type: string): Promise<boolean> {
    this.leaving.add(type);
    const { fleet } = this;
    const labels = new Set([this.groupOf(type), ...(this.types[type]?.extraLabels ?? [])]);
    const waits = () =>
      fleet.codeHost.registry.queue.waiting.some((job) => job.labels.some((label) => labels.has(label)));
    for (let waited = 0; waits() && waited < 24; waited++) await this.pass(5);
    if (waits()) this.leaving.delete(type);
    return !waits();
  }

  async pass(minutes: number): Promise<void> {
    await this.fleet.drive(this.fleet.clock.sleep(minutes * minute), (minutes + 10) * minute);
  }

  #assembly(types: DrawnTypes): string {
    return synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-types-')), { ...inputs, types });
  }
}
