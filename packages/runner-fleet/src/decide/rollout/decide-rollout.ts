import { isOlderVersion, labels, type ScalingMode } from '@drover/core/names/runner-fleet';
import type { FleetInstance, GroupFacts, HostReport, Runner } from '../../model/fleet.ts';
import type { BootFailure } from '../../model/memory.ts';
import type { FleetRelease } from '../../model/release.ts';
import { mayHaveNone } from '../jobs/decide-round.ts';
import { isOfOtherTemplate, parked, type TemplateProgress, templateProgress } from './template-progress.ts';

/** The facts of one pass of the roll-out. */
export interface RolloutFacts {
  readonly mode: ScalingMode;
  readonly group: GroupFacts;
  /** The runner software that hosts have to have; undefined while that is not known. */
  readonly release: FleetRelease | undefined;
  /** The listed runners by instance; in jobs mode none. */
  readonly runners: ReadonlyMap<string, Runner>;
  readonly reports: ReadonlyMap<string, HostReport>;
  readonly bootFailures: readonly BootFailure[];
  /** Since when hosts that leave get no further job. */
  readonly retiring: Readonly<Record<string, number>>;
  /** Hosts that are older are replaced; undefined: at any age they stay. */
  readonly mostAgeMs?: number | undefined;
  /** Whether spot instances are replaced that EC2 may take back soon. */
  readonly replacesAtRisk?: boolean;
}

export type OutdatedReason = 'scaling-mode' | 'launch-template' | 'spot-at-risk' | 'lifetime' | 'runner-version';

/** One step of the roll-out. No step ends a job. */
export type RolloutStep =
  /** A newcomer shows that the template boots before any host goes. */
  | { readonly kind: 'launch-first'; readonly capacity: number }
  /** Its runner gets no further job. */
  | (OneHost & { readonly kind: 'take-labels'; readonly runner: Runner })
  /** Its runner gets no job, and has none. */
  | (OneHost & { readonly kind: 'replace' })
  /** Its runner is removed at the platform first; with a job it stays, and so does its host. */
  | (OneHost & { readonly kind: 'remove-and-replace' });

interface OneHost {
  readonly instanceId: string;
  readonly because: OutdatedReason | 'warm-pool-member' | 'runner-without-labels' | 'finished';
}

export interface RolloutPlan {
  readonly steps: readonly RolloutStep[];
  /** To be remembered: since when hosts that leave get no further job. */
  readonly retiring: Readonly<Record<string, number>>;
  /** Hosts in service that are to be replaced. */
  readonly outdated: number;
  readonly stoppedBy?: BootFailure | undefined;
}

/** Share of a fleet that leaves at a time: one in ten, and at least one. */
const share = 10;
/** Between the labels and the end of a host: by then its last job shows in `busy` and in its report. */
export const quietBeforeEndMs = 10 * 60_000;
/** From then on busy runners lose their labels for their version, too: they finish their jobs and take no other. */
const hurryMs = 10 * 24 * 3_600_000;
/** A host that is well reports every five minutes. */
const freshMs = 10 * 60_000;

/** A runner without any label but its fleet's own gets no job: it leaves. */
export const isRetiring = (runner: Runner): boolean => runner.labels.every(labels.isOwn);

interface Host {
  readonly instance: FleetInstance;
  readonly runner: Runner | undefined;
  readonly report: HostReport | undefined;
  readonly because: OutdatedReason | undefined;
}

/**
 * Which hosts take the next step on the way to what the fleet is now: template, mode, runner software, age. As long as no host serves
 * that was launched from the group's template a newcomer comes first, and where it fails nothing else goes. None comes to a group that may have
 * none. Pure.
 */
export function decideRollout(facts: RolloutFacts, now: number): RolloutPlan {
  const { group } = facts;
  const progress = templateProgress(group, facts.bootFailures, now);
  const hosts = hostsInService(facts, now);
  const leaving = hosts.filter(
    ({ runner, because }) => because !== 'scaling-mode' && runner !== undefined && isRetiring(runner),
  );
  const retiring = Object.fromEntries(
    leaving.map(({ instance: { id } }): [string, number] => [id, facts.retiring[id] ?? now]),
  );
  const outdated = hosts.filter(({ because }) => because !== undefined);
  const begun = [...finished(facts, hosts), ...leave(leaving, retiring, now)];
  const next = progress.stoppedBy !== undefined ? [] : begin(facts, { hosts, outdated, leaving }, progress, now);
  for (const step of next) if (step.kind === 'take-labels') retiring[step.instanceId] = now;
  const { stoppedBy } = progress;
  return {
    steps: [...begun, ...next],
    retiring,
    outdated: outdated.length,
    ...(stoppedBy === undefined ? {} : { stoppedBy }),
  };
}

function hostsInService(facts: RolloutFacts, now: number): readonly Host[] {
  return facts.group.instances
    .filter(({ lifecycleState, healthy }) => lifecycleState === 'InService' && healthy)
    .map((instance) => {
      const said = facts.reports.get(instance.id);
      const report = said === undefined || now - said.at > freshMs ? undefined : said;
      const runner = facts.runners.get(instance.id);
      return { instance, runner, report, because: outdatedBecause(facts, instance, runner, said, now) };
    });
}

function outdatedBecause(
  { mode, group, release, mostAgeMs, replacesAtRisk = false }: RolloutFacts,
  instance: FleetInstance,
  runner: Runner | undefined,
  report: HostReport | undefined,
  now: number,
): OutdatedReason | undefined {
  if ((report?.mode ?? mode) !== mode) return 'scaling-mode';
  if (isOfOtherTemplate(group, instance)) return 'launch-template';
  if (replacesAtRisk && report?.atRisk === true) return 'spot-at-risk';
  if (mostAgeMs !== undefined && now - (report?.launchedAt ?? now) >= mostAgeMs) return 'lifetime';
  const version = runner?.version ?? report?.runnerVersion;
  const old = version !== undefined && release !== undefined && isOlderVersion(version, release.version);
  return old ? 'runner-version' : undefined;
}

/** In idle mode nothing else ends a host of jobs mode that has had its job. */
const finished = ({ mode }: RolloutFacts, hosts: readonly Host[]): RolloutStep[] =>
  mode === 'jobs'
    ? []
    : hosts.flatMap(({ instance: { id }, report }) =>
        report?.phase === 'finished' ? [{ kind: 'replace', instanceId: id, because: 'finished' } as const] : [],
      );

const leave = (leaving: readonly Host[], retiring: RolloutPlan['retiring'], now: number): RolloutStep[] =>
  leaving
    .filter(({ runner, report }) => runner?.busy === false && (report?.workers ?? 0) === 0)
    .filter(({ instance }) => now - retiring[instance.id]! >= quietBeforeEndMs)
    .map(({ instance }) => ({ kind: 'replace', instanceId: instance.id, because: 'runner-without-labels' }));

interface Sorted {
  readonly hosts: readonly Host[];
  readonly outdated: readonly Host[];
  readonly leaving: readonly Host[];
}

/**
 * No further hosts begin to leave before the replacements of those before them serve. A boot that began before the
 * template came is no replacement, and may take long: nothing waits for it. The warm pool is first, because replacements
 * come out of it. Hosts of the other mode serve no job here: they go as soon as others can come, also where the last
 * boot failed.
 */
function begin(
  facts: RolloutFacts,
  { hosts, outdated, leaving }: Sorted,
  { current, failing }: TemplateProgress,
  now: number,
): readonly RolloutStep[] {
  const { group } = facts;
  const proven = current > 0 || mayHaveNone(group);
  const ready = outdated.flatMap((host) => firstStep(facts, host, now));
  const ofOtherMode = proven ? ready.filter(({ step }) => step.because === 'scaling-mode') : [];
  if (ofOtherMode.length > 0) return ofOtherMode.map(({ step }) => step);
  const boots = group.instances.filter(({ lifecycleState }) => /^(Warmed:)?Pending/.test(lifecycleState));
  const ofFormer = boots.filter((instance) => isOfOtherTemplate(group, instance));
  if (failing || boots.length > ofFormer.length) return [];
  const stale = group.instances.filter(
    (member) => parked.test(member.lifecycleState) && isOfOtherTemplate(group, member),
  );
  if (stale.length > 0)
    return stale
      .slice(0, proven ? stale.length : 1)
      .map(({ id }) => ({ kind: 'replace', instanceId: id, because: 'warm-pool-member' }));
  const { desiredCapacity, maxSize } = group;
  const held = hosts.length + ofFormer.filter(({ lifecycleState }) => !lifecycleState.startsWith('Warmed:')).length;
  if (ready.length === 0 || leaving.length > 0 || held < desiredCapacity) return [];
  if (!proven && facts.mode === 'idle' && desiredCapacity < maxSize)
    return [{ kind: 'launch-first', capacity: desiredCapacity + 1 }];
  const idleFirst = ready.toSorted((a, b) => Number(a.busy) - Number(b.busy));
  return idleFirst.slice(0, proven ? Math.ceil(hosts.length / share) : 1).map(({ step }) => step);
}

interface Ready {
  readonly busy: boolean;
  readonly step: RolloutStep & OneHost;
}

/** Runners of a scale set have no labels of their own: such a runner is removed at once, if it has no job. */
function firstStep(
  facts: RolloutFacts,
  { instance: { id }, runner, report, because }: Host,
  now: number,
): readonly Ready[] {
  if (because === undefined) return [];
  const one = { instanceId: id, because };
  const idle = report?.phase === 'serving' && report.workers === 0 && runner?.busy !== true;
  if (facts.mode === 'jobs' || because === 'scaling-mode')
    return idle ? [{ busy: false, step: { kind: 'remove-and-replace', ...one } }] : [];
  if (runner?.status !== 'online') return [];
  const ends = facts.release?.ends[runner.version ?? report?.runnerVersion ?? ''];
  const patient = because === 'runner-version' && (ends ?? Number.POSITIVE_INFINITY) - now >= hurryMs;
  return runner.busy && patient ? [] : [{ busy: runner.busy, step: { kind: 'take-labels', runner, ...one } }];
}
