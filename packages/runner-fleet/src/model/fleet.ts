import type { ScalingMode } from '@drover/core/names/runner-fleet';

/** One member of the group, or of its warm pool, as Auto Scaling describes it. */
export interface FleetInstance {
  readonly id: string;
  /** As AWS spells it: `Pending:Wait`, `InService`, `Terminating:Wait`, `Warmed:Stopped`, … */
  readonly lifecycleState: string;
  readonly healthy: boolean;
  readonly protectedFromScaleIn: boolean;
  readonly launchTemplateVersion?: string;
  readonly inWarmPool: boolean;
  /** It is a member of the on-demand fallback. @default false */
  readonly isFallback?: boolean;
  /** EC2 takes it back within two minutes. @default false */
  readonly isTaken?: boolean;
}

export interface GroupFacts {
  readonly name: string;
  readonly minSize: number;
  readonly maxSize: number;
  readonly desiredCapacity: number;
  readonly instances: readonly FleetInstance[];
  readonly hasWarmPool: boolean;
  /** The version that a launch would use now. */
  readonly launchTemplateVersion?: string;
  /** Processes of the group that are suspended, as AWS names them. */
  readonly suspendedProcesses?: readonly string[];
  /** The part of the on-demand fallback in the desired capacity, and its own maximum: 0 while it is taken down. Undefined: there is none. */
  readonly fallback?: { readonly desiredCapacity: number; readonly maxSize: number };
}

/** A runner as the platform knows it. */
export interface Runner {
  readonly id: number;
  readonly name: string;
  readonly status: 'online' | 'offline';
  readonly busy: boolean;
  readonly labels: readonly string[];
  /** Of its software, once it has connected. */
  readonly version?: string;
}

/** A runner that was looked up by its name. */
export interface FoundRunner extends Runner {
  /** Those of its labels that can be taken away. */
  readonly customLabels: readonly string[];
}

/** A host's latest report. */
export interface HostReport {
  readonly at: number;
  /** How many `Runner.Worker` processes it saw. */
  readonly workers: number;
  readonly phase: HostPhase;
  /** Whether a listener runs. */
  readonly listening?: boolean;
  readonly freeBytes?: number;
  /** Of the runner software. */
  readonly runnerVersion?: string;
  /** For which mode the host was made. */
  readonly mode?: ScalingMode;
  /** When its instance was launched. */
  readonly launchedAt?: number;
  /** EC2 recommends to replace the spot instance: it may be taken back soon. */
  readonly atRisk?: boolean;
  /** EC2 has said that it takes the spot instance back within two minutes. */
  readonly reclaimed?: boolean;
  /** Why the host wants to be replaced. */
  readonly unfit?: UnfitReason;
  /** Why its boot failed, with the last lines of its log, or how it is broken. */
  readonly failure?: string;
  /** While it boots: the last lines of its log. */
  readonly bootLog?: string;
}

/** `booting`: the boot script goes on; there is no agent yet. `finished`: a fleet in jobs mode; its one job is done, or none will come, and nothing runs: the instance can go. */
export type HostPhase =
  | 'booting'
  | 'failed'
  | 'registering'
  | 'serving'
  | 'unfit'
  | 'finished'
  | 'draining'
  | 'stopped';

/** `disk-full`: clean-up did not help. `worker-without-listener`: its job is lost and it does not end. `broken`: no job can begin here. */
export type UnfitReason = 'disk-full' | 'worker-without-listener' | 'broken';

/** Why no job can begin on a host. */
export type HostFlaw =
  | 'configuration-changed'
  | 'programs-changed'
  | 'no-space'
  | 'workspace-not-writable'
  | 'worker-does-not-start';

/** A registration token in the secrets store. Its value is not part of the facts. */
export interface TokenSecretFacts {
  readonly instanceId: string;
  readonly storedAt: number;
  /** Without a value: an invocation has claimed it, to make the value. */
  readonly empty?: boolean;
  /** The host is to stay for inspection if its boot fails. */
  readonly keepFailed?: boolean;
}

/** A remote command that was sent to a host. */
export interface SentCommand {
  readonly command: string;
  readonly sentAt: number;
  readonly outcome: 'pending' | 'succeeded' | 'failed' | 'undelivered';
}

const launchWait = new Set(['Pending:Wait', 'Warmed:Pending:Wait']);
const terminationWait = new Set(['Terminating:Wait', 'Warmed:Terminating:Wait']);

export const waitsForLaunch = (instance: FleetInstance): boolean => launchWait.has(instance.lifecycleState);
export const waitsForTermination = (instance: FleetInstance): boolean => terminationWait.has(instance.lifecycleState);
