import type { Secret } from '@drover/core';
import type { FoundRunner, GroupFacts, HostReport, SentCommand, TokenSecretFacts } from './model/fleet.ts';
import type { Memory, RunnerList } from './model/memory.ts';
import type { FleetRelease, PublishedRelease } from './model/release.ts';

/** Reads the group and its warm pool. */
export interface GroupReader {
  read(): Promise<GroupFacts>;
}

/** When each instance began its present transition. No API returns when a hook began; the scaling activity's start stands for it. */
export interface TransitionTimes {
  startedAt(instanceIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

export type HookResult = 'CONTINUE' | 'ABANDON';

/** `not-waiting`: the hook was completed before, or the instance is gone. Harmless. */
export type HookOutcome = 'accepted' | 'not-waiting';

/** Completes lifecycle hooks and keeps them open. */
export interface LifecycleHooks {
  complete(instanceId: string, hook: string, result: HookResult): Promise<HookOutcome>;
  heartbeat(instanceId: string, hook: string): Promise<HookOutcome>;
}

/** The registration tokens that wait for their instance. */
export interface TokenSecrets {
  /** Lags behind by up to five minutes: no decision about one instance may rest on it. */
  list(): Promise<readonly TokenSecretFacts[]>;
  /** The secret of one instance as it is now. */
  find(instanceId: string): Promise<TokenSecretFacts | undefined>;
  /** Creates the instance's secret, or gives the one that is there another value. */
  store(instanceId: string, token: Secret): Promise<void>;
  /** Gives the claimed secret its value. */
  fill(instanceId: string, token: Secret): Promise<void>;
  /** Creates the instance's secret without a value. One caller only succeeds: who makes the value. */
  claim(instanceId: string): Promise<'claimed' | 'taken'>;
  /** Marks the instance's secret: if its boot fails the instance stays for inspection. */
  keepFailed(instanceId: string): Promise<void>;
  delete(instanceId: string): Promise<void>;
}

/** Secrets of the instances of all further types of a fleet, also of types that were removed. */
export interface TypeSecrets {
  /** Lags behind by up to five minutes. */
  list(): Promise<readonly (TokenSecretFacts & { readonly groupName: string })[]>;
  delete(groupName: string, instanceId: string): Promise<void>;
}

/** Registration tokens of the platform; in jobs mode just-in-time configurations, each for one instance. */
export interface RegistrationTokens {
  mint(instanceId: string): Promise<Secret>;
}

/** The platform's list of runners. */
export interface RunnerDirectory {
  /** Every page; pages that are unchanged since `previous` cost nothing. */
  list(previous?: RunnerList): Promise<RunnerList>;
  findByName(name: string): Promise<FoundRunner | undefined>;
  /** Takes away all labels but these: jobs that ask for another no longer reach the runner. */
  keepLabels(runnerId: number, labels: readonly string[]): Promise<void>;
  /** `busy`: the platform refused because a job runs. */
  remove(runnerId: number): Promise<'removed' | 'absent' | 'busy'>;
}

/** The rate limit in the platform's last response. */
export interface RateLimitReader {
  last(): { readonly limit: number; readonly remaining: number; readonly resetAt: number } | undefined;
}

/** Reads the latest reports of hosts about their instances. */
export interface HostReports {
  read(instanceIds: readonly string[]): Promise<ReadonlyMap<string, HostReport>>;
}

/** Remote commands to hosts. */
export interface RemoteCommands {
  /** `unknown`: no agent ever registered for this instance. */
  send(instanceId: string, command: string): Promise<'sent' | 'unknown'>;
  recent(instanceId: string, since: number): Promise<readonly SentCommand[]>;
}

/** Changes to members of the group outside of hooks. */
export interface GroupMembers {
  /** The group replaces it, in service or in the warm pool. */
  markUnhealthy(instanceId: string): Promise<void>;
  clearProtection(instanceId: string): Promise<void>;
}

/** The group's own processes. */
export interface GroupProcesses {
  suspend(process: string): Promise<void>;
}

export interface FleetMemory {
  read(): Promise<Memory>;
  /** Applies `change` to the newest state; tries again when another invocation was faster. */
  update(change: (memory: Memory) => Memory): Promise<void>;
}

/** Releases of the runner software, as the platform publishes them. */
export interface PublishedReleases {
  latest(): Promise<PublishedRelease>;
  /** When a version gets no more jobs; undefined while no end is known. */
  endOf(version: string): Promise<number | undefined>;
}

/** The fleet's mirror of the runner software. */
export interface ReleaseMirror {
  /** Undefined before the first release was mirrored. */
  read(): Promise<FleetRelease | undefined>;
  write(release: FleetRelease): Promise<void>;
  /** Copies the archive and returns its key; it is there as a whole, with the right checksum, or not at all. */
  copy(release: PublishedRelease): Promise<string>;
  /** Deletes an archive, if it is there. */
  remove(key: string): Promise<void>;
}

export interface Metrics {
  put(values: Readonly<Record<string, number>>, dimensions?: Readonly<Record<string, string>>): Promise<void>;
}
