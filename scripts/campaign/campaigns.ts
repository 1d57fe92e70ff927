import { existsSync } from 'node:fs';
import type { LifeCall } from '@drover/simulation/crash-in-fleet-life';
import type { SeedResult } from './seed-result.ts';

/** A scenario that can be run with any seed. */
export interface Campaign {
  /** Once, before any worker: what all seeds share. */
  prepare(): Promise<void>;
  run(seed: number): Promise<SeedResult>;
}

const groupName = 'runners';
const assemblyOf = (variant: string) => `.cache/campaign/fleet-${variant}`;

/** Templates hold what was built, so that comes first. */
async function builtSynthesis() {
  process.env.CDK_VALIDATION = 'false';
  const { buildAll } = await import('../build/all.ts');
  await buildAll();
  const { synthesiseFleet } = await import('@drover/stage/fleet-template');
  return synthesiseFleet;
}

/** Seeded days of a runner fleet with random faults. */
const fleet: Campaign = {
  async prepare() {
    const { fleetVariants } = await import('@drover/simulation/fleet-day');
    const synthesiseFleet = await builtSynthesis();
    for (const [variant, inputs] of Object.entries(fleetVariants))
      synthesiseFleet(assemblyOf(variant), { groupName, ...inputs });
  },
  async run(seed) {
    const { simulateFleetDay, variantOf } = await import('@drover/simulation/fleet-day');
    const assembly = assemblyOf(variantOf(seed));
    if (!existsSync(assembly)) throw new Error(`${assembly} is not synthesised`);
    const day = await simulateFleetDay({ seed, assembly, groupName });
    const blames = Object.entries(day.blames).map(([blame, count]) => `${count} by ${blame}`);
    const lost = day.jobs.lost === 0 ? '' : ` (lost: ${blames.join(', ')})`;
    const losses = Object.entries(day.blames).map(([blame, count]) => [`jobs lost by ${blame}`, count] as const);
    return {
      ...day,
      outcomes: { 'jobs done': day.jobs.completed, launches: day.launches, ...Object.fromEntries(losses) },
      summary: `${day.variant}, ${day.runners.least} to ${day.runners.most} runners, ${day.launches} launches, ${day.jobs.completed} jobs done${lost}, ${day.faults} faults`,
    };
  },
};

/** Seeded rolling replacements of a search cluster under load and random faults. */
const cluster: Campaign = {
  async prepare() {},
  async run(seed) {
    const { simulateRolling } = await import('@drover/simulation/cluster-rolling');
    const { launches, documents, deaths, hours, told, violations, ...counts } = await simulateRolling({ seed });
    return {
      ...counts,
      // What went wrong before helps to read what was violated.
      violations: violations.length === 0 ? [] : [...violations, `misfortunes: ${told.join('; ')}`],
      summary: `${launches} launches, ${documents} documents acknowledged, ${counts.faults} faults (${told.length} misfortunes, ${deaths} runs died), ${hours.toFixed(1)} hours`,
    };
  },
};

/** A fleet's life with one call going wrong: the seed is the case's number, from 1. */
const crash: Campaign = {
  async prepare() {
    const { fleetLifeInputs } = await import('@drover/simulation/fleet-life');
    const { stageInputs } = await import('@drover/stage/testing');
    const synthesiseFleet = await builtSynthesis();
    synthesiseFleet(assemblyOf('life'), stageInputs(fleetLifeInputs));
  },
  async run(seed) {
    const { findLifeCalls, lifeCase, playLifeCase } = await import('@drover/simulation/crash-in-fleet-life');
    const assembly = assemblyOf('life');
    lifeCalls ??= await findLifeCalls(assembly);
    const { name, violations, checks } = await playLifeCase(lifeCase(lifeCalls, seed - 1), assembly);
    return { seed, violations, checks, faults: 1, summary: name };
  },
};

let lifeCalls: readonly LifeCall[] | undefined;

export const campaigns: Readonly<Record<string, Campaign>> = { fleet, cluster, crash };
