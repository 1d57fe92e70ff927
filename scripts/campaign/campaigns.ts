import { existsSync, mkdirSync, rmSync } from 'node:fs';
import type { CrashCase } from './crash-cases.ts';
import type { SeedResult } from './seed-result.ts';

/** A scenario that can be run with any seed. */
export interface Campaign {
  /** The modules that play a seed: by their code it is known whether a result still counts. */
  readonly plays: readonly string[];
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
  plays: ['@drover/simulation/fleet-day', '@drover/stage/fleet-template'],
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

/** Seeded hours of a fleet in jobs mode with random jobs and faults. */
const fleetJobs: Campaign = {
  plays: ['@drover/simulation/fleet-jobs', '@drover/stage/fleet-template'],
  async prepare() {
    const { jobsVariants } = await import('@drover/simulation/fleet-jobs');
    const synthesiseFleet = await builtSynthesis();
    for (const [variant, inputs] of Object.entries(jobsVariants))
      synthesiseFleet(assemblyOf(`jobs-${variant}`), { groupName, scalingMode: 'jobs', ...inputs });
  },
  async run(seed) {
    const { jobsVariantOf, simulateFleetJobs } = await import('@drover/simulation/fleet-jobs');
    const assembly = assemblyOf(`jobs-${jobsVariantOf(seed)}`);
    const { jobs, blames, launches, size, variant, ...run } = await simulateFleetJobs({ seed, assembly, groupName });
    const losses = Object.entries(blames).map(([blame, count]) => [`jobs lost by ${blame}`, count] as const);
    return {
      ...run,
      outcomes: { 'jobs done': jobs.completed, launches, ...Object.fromEntries(losses) },
      summary: `${variant}, up to ${size.most} instances, ${size.last} in the end, ${launches} launches, ${jobs.completed} jobs done, ${jobs.lost} lost, ${run.faults} faults`,
    };
  },
};

/** Seeded days of a fleet with types that come, change and go. */
const fleetTypes: Campaign = {
  plays: ['@drover/simulation/fleet-types'],
  async prepare() {
    await builtSynthesis();
  },
  async run(seed) {
    const { simulateFleetTypes } = await import('@drover/simulation/fleet-types');
    const { jobs, blames, launches, types, told, violations, ...run } = await simulateFleetTypes({ seed });
    const losses = Object.entries(blames).map(([blame, count]) => [`jobs lost by ${blame}`, count] as const);
    return {
      ...run,
      // The acts explain the violations.
      violations: violations.length === 0 ? [] : [...violations, `acts: ${told.join('; ')}`],
      outcomes: { 'jobs done': jobs.completed, launches, acts: told.length, ...Object.fromEntries(losses) },
      summary: `${types.length} types, ${told.length} acts, ${launches} launches, ${jobs.completed} jobs done, ${jobs.lost} lost, ${run.faults} faults`,
    };
  },
};

/** Seeded hours of a fleet in jobs mode in which some instance is always leaving. */
const drains: Campaign = {
  plays: ['@drover/simulation/fleet-drains', '@drover/stage/fleet-template'],
  async prepare() {
    const { drainsInputs } = await import('@drover/simulation/fleet-drains');
    const synthesiseFleet = await builtSynthesis();
    synthesiseFleet(assemblyOf('drains'), { groupName, ...drainsInputs });
  },
  async run(seed) {
    const { simulateFleetDrains } = await import('@drover/simulation/fleet-drains');
    const { jobs, terminated, ...run } = await simulateFleetDrains({ seed, assembly: assemblyOf('drains'), groupName });
    const summary = `${terminated} hosts terminated, ${jobs.completed} jobs done, ${jobs.lost} lost`;
    return { ...run, faults: 0, outcomes: { 'jobs done': jobs.completed, 'jobs lost': jobs.lost }, summary };
  },
};

/** Seeded rolling replacements of a search cluster under load and random faults. */
const cluster: Campaign = {
  plays: ['@drover/simulation/cluster-rolling'],
  async prepare() {},
  async run(seed) {
    const { simulateRolling } = await import('@drover/simulation/cluster-rolling');
    const { launches, documents, deaths, hours, told, violations, ...counts } = await simulateRolling({ seed });
    return {
      ...counts,
      // Earlier misfortunes help to read the violations.
      violations: violations.length === 0 ? [] : [...violations, `misfortunes: ${told.join('; ')}`],
      summary: `${launches} launches, ${documents} documents acknowledged, ${counts.faults} faults (${told.length} misfortunes, ${deaths} runs died), ${hours.toFixed(1)} hours`,
    };
  },
};

/** One call going wrong in the life of a runner, of a fleet or of a cluster: the seed is the number of the case, from 1. */
const crash: Campaign = {
  plays: ['./scripts/campaign/crash-cases.ts', '@drover/stage/fleet-template'],
  async prepare() {
    const { fleetLives } = await import('@drover/simulation/crash-in-fleet-life');
    const { crashStories } = await import('@drover/simulation/crash-at-every-call');
    const { stageInputs } = await import('@drover/stage/testing');
    const synthesiseFleet = await builtSynthesis();
    for (const [life, { inputs }] of Object.entries(fleetLives)) synthesiseFleet(assemblyOf(life), stageInputs(inputs));
    for (const [title, { inputs }] of Object.entries(crashStories)) synthesiseFleet(assemblyOf(title), inputs);
  },
  async run(seed) {
    const { crashCases } = await import('./crash-cases.ts');
    crashes ??= crashCases(assemblyOf);
    const cases = await crashes;
    // There is no such number: begin again.
    const number = (seed - 1) % cases.length;
    const { name, play } = cases[number]!;
    return { seed, faults: 1, ...(await play()), summary: `case ${number + 1} of ${cases.length}: ${name}` };
  },
};

let crashes: Promise<readonly CrashCase[]> | undefined;

/** Fourteen months of snapshots, day by day; the seed says in which month they begin. */
const snapshots: Campaign = {
  plays: ['./apps/cluster-cli/test/support/snapshot-calendar.ts'],
  async prepare() {},
  async run(seed) {
    const { playSnapshotCalendar } = await import('../../apps/cluster-cli/test/support/snapshot-calendar.ts');
    const startsAtMs = Date.UTC(2026, seed - 1, 5);
    const days = 14 * 30.5;
    const violations = await playSnapshotCalendar({ startsAtMs, days });
    const month = new Date(startsAtMs).toISOString().slice(0, 7);
    return { seed, violations, faults: 0, checks: days, summary: `fourteen months from ${month}` };
  },
};

/** The driver of an upgrade dies at one call, or something else goes wrong: the seed is the number of the case, from 1. */
const upgradeClusterCases: Campaign = {
  plays: ['@drover/simulation/cluster-upgrade'],
  async prepare() {},
  async run(seed) {
    const { allDeaths, findDriverCalls, playDeath, playUpgrade, troubles } = await import(
      '@drover/simulation/cluster-upgrade'
    );
    driverCalls ??= findDriverCalls();
    const cases = [
      ...Object.entries(troubles).map(([name, trouble]) => ({ name, play: () => playUpgrade({ trouble }) })),
      ...allDeaths(await driverCalls).map((one) => ({ name: one.name, play: () => playDeath(one) })),
    ];
    const number = (seed - 1) % cases.length;
    const { name, play } = cases[number]!;
    const { violations, checks } = await play();
    return { seed, faults: 1, violations, checks, summary: `case ${number + 1} of ${cases.length}: ${name}` };
  },
};

let driverCalls: Promise<readonly string[]> | undefined;

/** Sixty days with a release of the runner software every week and an incident, against the same days without releases. */
const versions: Campaign = {
  plays: ['@drover/simulation/runner-versions', '@drover/stage/fleet-template'],
  async prepare() {
    const { versionsInputs } = await import('@drover/simulation/runner-versions');
    const synthesiseFleet = await builtSynthesis();
    synthesiseFleet(assemblyOf('versions'), versionsInputs);
  },
  async run(seed) {
    const { judgeVersions, simulateVersions } = await import('@drover/simulation/runner-versions');
    const common = { seed, assembly: assemblyOf('versions'), days: 60 };
    // In a night: the backlog of a day would make the group grow.
    const incident = { atHour: 40 * 24 + 16, hours: 2 };
    const run = await simulateVersions({ ...common, releaseEveryHours: 7 * 24, incident });
    const without = await simulateVersions(common);
    const unmet = [run, without].map(({ longestUnmetMs }) => longestUnmetMs / 60_000);
    return {
      seed,
      violations: judgeVersions(run, without),
      faults: 1,
      checks: run.completed + without.completed,
      outcomes: { 'jobs done': run.completed, 'jobs lost': run.lost, launches: run.launches, releases: run.released },
      summary: `${run.released} releases, ${run.launches} launches (${without.launches} without releases), ${run.completed} jobs done, idle target unmet for at most ${unmet[0]} minutes (${unmet[1]} without), incident: back after ${run.incident?.backAfterMinutes.toFixed(1)} minutes, size ${run.incident?.sizes.before} to ${run.incident?.sizes.after}`,
    };
  },
};

/** Hours of `drover local` in which a user uses the tools of the page at random, and their replay. */
const tools: Campaign = {
  plays: ['./packages/local/test/played-tools.ts'],
  async prepare() {
    const { buildAll } = await import('../build/all.ts');
    await buildAll();
  },
  async run(seed) {
    const { playTools } = await import('../../packages/local/test/played-tools.ts');
    const { violations, checks, told, jobs, documents } = await playTools({ seed, hours: 6 });
    return {
      seed,
      violations: violations.length === 0 ? [] : [...violations, `tools: ${told.join('; ')}`],
      faults: told.length,
      checks,
      outcomes: { 'jobs done': jobs.completed, 'jobs lost': jobs.lost, documents },
      summary: `${told.length} tools used, ${jobs.completed} jobs done, ${jobs.lost} lost, ${documents} documents acknowledged`,
    };
  },
};

/** A fault tool of the page in a scaling mode, or two that meet: what the page shows is compared with machines and engine. The seed is the number of the case, from 1. */
const page: Campaign = {
  plays: ['./apps/drover/test/page/play.ts'],
  prepare: tools.prepare,
  async run(seed) {
    const { pageCases, playPage } = await import('../../apps/drover/test/page/play.ts');
    const number = (seed - 1) % pageCases.length;
    const one = pageCases[number]!;
    const summary = `case ${number + 1} of ${pageCases.length}: ${one.name}`;
    return { seed, faults: one.tools.length, ...(await playPage(one)), summary };
  },
};

const upgradeFrom = '.cache/campaign/upgrade-from';
const upgradeTo = '.cache/campaign/upgrade-to';

/**
 * The example of release 0.1.0, in use for a day, updated to this tree's under load, or the other way round; nodes of 0.1.0 run its
 * `cluster-cli`.
 */
const update = (from: string, to: string): Campaign => ({
  plays: ['@drover/simulation/release-upgrade', './packages/simulation/test/release.ts', '@drover/example-local'],
  async prepare() {
    process.env.CDK_VALIDATION = 'false';
    const { buildAll } = await import('../build/all.ts');
    await buildAll();
    const { unpackRelease } = await import('../../packages/simulation/test/release.ts');
    for (const folder of [upgradeFrom, upgradeTo]) rmSync(folder, { recursive: true, force: true });
    mkdirSync(upgradeFrom, { recursive: true });
    unpackRelease('0.1.0', 'local', upgradeFrom);
    const [{ App }, { LocalStack }] = await Promise.all([import('aws-cdk-lib'), import('@drover/example-local')]);
    const app = new App({ outdir: upgradeTo });
    new LocalStack(app);
    app.synth();
  },
  async run(seed) {
    const [{ simulateReleaseUpgrade }, { releasedPrograms }] = await Promise.all([
      import('@drover/simulation/release-upgrade'),
      import('../../packages/simulation/test/release.ts'),
    ]);
    const older = releasedPrograms('0.1.0');
    const upgraded = await simulateReleaseUpgrade({ seed, from, to, older, hours: 24 });
    const { violations, checks, jobs, documents, hours } = upgraded;
    return {
      seed,
      violations,
      faults: 0,
      checks,
      outcomes: { 'jobs done': jobs, documents },
      summary: `updated in ${hours.toFixed(1)} hours, ${jobs} jobs done, ${documents} documents acknowledged`,
    };
  },
});

/** Two days of a fleet and a cluster in one world with acts and faults in any order, then one more loss that they survive. */
const histories: Campaign = {
  plays: ['@drover/simulation/histories'],
  async prepare() {
    const { buildAll } = await import('../build/all.ts');
    await buildAll();
  },
  async run(seed) {
    const { simulateHistory } = await import('@drover/simulation/histories');
    const { told, jobs, blames, launches, documents, hours, violations, ...counts } = await simulateHistory({ seed });
    const losses = Object.entries(blames).map(([blame, count]) => [`jobs lost by ${blame}`, count] as const);
    return {
      ...counts,
      // Earlier acts help to read a violation.
      violations: violations.length === 0 ? [] : [...violations, ...told.slice(-60).map((line) => `  ${line}`)],
      outcomes: { 'jobs done': jobs.completed, launches, documents, ...Object.fromEntries(losses) },
      summary: `${hours.toFixed(0)} hours, ${launches} launches, ${jobs.completed} jobs done, ${jobs.lost} lost, ${documents} documents, ${told.length} events`,
    };
  },
};

/** Every ordered pair of faults and acts in both modes, the first one healed before the second: the seed is the number of the world, from 1. */
const again: Campaign = {
  plays: ['@drover/simulation/again'],
  prepare: histories.prepare,
  async run(seed) {
    const { againCases, playAgain } = await import('@drover/simulation/again');
    const cases = againCases();
    const number = (seed - 1) % cases.length;
    const one = cases[number]!;
    const { told, hours, tried, skipped, violations, ...counts } = await playAgain(seed, one);
    return {
      seed,
      ...counts,
      violations: violations.length === 0 ? [] : [...violations, ...told.slice(-40).map((line) => `  ${line}`)],
      outcomes: { 'pairs tried': tried, 'pairs that could not be begun': skipped.length },
      summary: `world ${number + 1} of ${cases.length}, ${one.mode} mode, ${tried} pairs, ${hours.toFixed(0)} hours${skipped.length === 0 ? '' : `, not begun: ${skipped.join('; ')}`}`,
    };
  },
};

/**
 * A trouble of a fleet or a cluster, or a control of the page in a scaling mode: what doctor says of it, its remedy, and that it is well
 * then; the seed is its number, from 1.
 */
const doctor: Campaign = {
  plays: ['@drover/simulation/doctor', './apps/drover/test/page/controls.ts'],
  prepare: histories.prepare,
  async run(seed) {
    const { clusterTroubles, fleetTroubles, playClusterTrouble, playFleetTrouble } = await import(
      '@drover/simulation/doctor'
    );
    const { controlCases, playControl } = await import('../../apps/drover/test/page/controls.ts');
    const all = [
      ...fleetTroubles.map((trouble) => ({ name: trouble.check, play: () => playFleetTrouble(trouble) })),
      ...clusterTroubles.map((trouble) => ({ name: trouble.check, play: () => playClusterTrouble(trouble) })),
      ...controlCases.map(({ row, mode }) => ({
        name: `${row.what}, ${mode} mode`,
        play: async () => ({ alarms: [], ...(await playControl(row, mode)) }),
      })),
    ];
    const number = (seed - 1) % all.length;
    const { name, play } = all[number]!;
    const { violations, checks, minutes, alarms } = await play();
    const outcomes = Object.fromEntries(alarms.map((alarm) => [`alarm ${alarm}`, 1]));
    const summary = `trouble ${number + 1} of ${all.length}, ${name}: well ${minutes} minutes after its remedy`;
    return { seed, violations, faults: 1, checks, outcomes, summary };
  },
};

/** Rolls of a search cluster's software in which drivers, programs and machines die: 8 seeds are every call, before and after it. */
const clusterRoll: Campaign = {
  plays: ['@drover/simulation/cluster-roll'],
  async prepare() {},
  async run(seed) {
    const { simulateRolls } = await import('@drover/simulation/cluster-roll');
    const { deaths, ...run } = await simulateRolls({ seed });
    return { ...run, outcomes: { deaths: deaths.length }, summary: `${deaths.length} drivers and programs died` };
  },
};

/** Volumes of a search cluster grow while drivers die: 8 seeds are every call, before and after it. */
const clusterGrowth: Campaign = {
  plays: ['@drover/simulation/cluster-growth'],
  async prepare() {},
  async run(seed) {
    const { simulateGrowth } = await import('@drover/simulation/cluster-growth');
    const { deaths, ...run } = await simulateGrowth({ seed });
    return { ...run, outcomes: { deaths: deaths.length }, summary: `${deaths.length} drivers died` };
  },
};

/** An authority of a search cluster is replaced while drivers die: 8 seeds are every call, before and after it. */
const clusterAuthority: Campaign = {
  plays: ['@drover/simulation/cluster-authority'],
  async prepare() {},
  async run(seed) {
    const { simulateAuthority } = await import('@drover/simulation/cluster-authority');
    const { deaths, ...run } = await simulateAuthority({ seed });
    return { ...run, outcomes: { deaths: deaths.length }, summary: `${deaths.length} drivers died` };
  },
};

/** A year of a search cluster whose authority, token and passwords are replaced under faults. */
const clusterYear: Campaign = {
  plays: ['@drover/simulation/cluster-year'],
  async prepare() {},
  async run(seed) {
    const { simulateClusterYear } = await import('@drover/simulation/cluster-year');
    const { tokens, passwords, authorities, retries, told, violations, ...run } = await simulateClusterYear({ seed });
    return {
      ...run,
      violations: violations.length === 0 ? [] : [...violations, `days: ${told.join('; ')}`],
      outcomes: { tokens, passwords, authorities, retries },
      summary: `${tokens} tokens, ${passwords} passwords and ${authorities} authorities, ${run.faults} faults, ${retries} logins refused once`,
    };
  },
};

export const campaigns: Readonly<Record<string, Campaign>> = {
  fleet,
  'fleet-jobs': fleetJobs,
  'fleet-types': fleetTypes,
  drains,
  cluster,
  'cluster-authority': clusterAuthority,
  'cluster-growth': clusterGrowth,
  'cluster-roll': clusterRoll,
  'cluster-year': clusterYear,
  crash,
  snapshots,
  versions,
  tools,
  upgrade: update(upgradeFrom, upgradeTo),
  downgrade: update(upgradeTo, upgradeFrom),
  'upgrade-cluster': upgradeClusterCases,
  histories,
  again,
  page,
  doctor,
};
