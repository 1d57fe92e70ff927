export { brakeIsOn, recentBootFailures } from './decide/decide-brake.ts';
export type { GiveUpDecision } from './decide/decide-give-up.ts';
export { type DrainOrder, leastFreeBytes, type Silence } from './decide/decide-host.ts';
export { decideLeftovers, listenerOf } from './decide/decide-leftovers.ts';
export type { Finding } from './decide/decide-reconcile.ts';
export type { ListenerEnd } from './decide/decide-restart.ts';
export type { BootProgress } from './decide/decide-start.ts';
export { idleTarget } from './decide/idle-target.ts';
export { type BakeDue, bakeFailure, decideDue } from './decide/image/decide-due.ts';
export { type TemplateProgress, templateProgress } from './decide/rollout/template-progress.ts';
export type { ConfigureOutcome, OwnMetadata, OwnPlace, OwnToken, RunnerHost, ServiceStatus } from './host-ports.ts';
export type { BakeNotes, ImagePorts, ScheduledImagePorts } from './image-ports.ts';
export type {
  DemandPorts,
  DemandService,
  GroupHistory,
  GroupSize,
  HeldSession,
  MessageSession,
  RunFacts,
  RunId,
  RunJobFacts,
  ScaleSet,
  ScaleSetRunners,
  SessionConflict,
  WorkflowRuns,
} from './jobs-ports.ts';
export {
  type FleetInstance,
  type FoundRunner,
  type GroupFacts,
  type HostFlaw,
  type HostPhase,
  type HostReport,
  type Runner,
  type SentCommand,
  type TokenSecretFacts,
  waitsForLaunch,
  waitsForTermination,
} from './model/fleet.ts';
export type {
  BakeNote,
  GroupImage,
  ImageFacts,
  ImageInstance,
  ImageReport,
  WantedImage,
} from './model/image.ts';
export type {
  DemandMessage,
  DemandStatistics,
  Interruption,
  JobEvent,
  JobEventKind,
  JobNote,
  JobsMemory,
} from './model/jobs.ts';
export {
  allRunners,
  type BootFailure,
  emptyMemory,
  type Memory,
  type RunnerList,
  type RunnerPage,
  type TypeSignal,
  type TypeSignals,
} from './model/memory.ts';
export type { FleetRelease, PublishedRelease } from './model/release.ts';
export type { RunnerType } from './model/types.ts';
export type {
  FleetMemory,
  GroupMembers,
  GroupProcesses,
  GroupReader,
  HostReports,
  LifecycleHooks,
  Metrics,
  PublishedReleases,
  RateLimitReader,
  RegistrationTokens,
  ReleaseMirror,
  RemoteCommands,
  RunnerDirectory,
  TokenSecrets,
  TransitionTimes,
  TypeSecrets,
} from './ports.ts';
export { abandonLaunch } from './run/abandon-launch.ts';
export { guardTerminations } from './run/guard-terminations.ts';
export { bakeImage } from './run/image/bake-image.ts';
export { keepImages, type ScheduledGroup } from './run/image/keep-images.ts';
export { closeLeftScaleSet } from './run/jobs/close-left-scale-set.ts';
export { conflictsAreWrongAfter, isConflict } from './run/jobs/hold-session.ts';
export { recordDemand } from './run/jobs/record-demand.ts';
export { withSignal } from './run/jobs/take-lease.ts';
export { watchDemand } from './run/jobs/watch-demand.ts';
export { keepVersion } from './run/keep-version.ts';
export { reconcile } from './run/reconcile.ts';
export { recordMetric } from './run/record-metric.ts';
export { registerInstances } from './run/register-instances.ts';
export { rollOut } from './run/roll-out.ts';
export { deleteLeftSecrets } from './run/types/delete-left-secrets.ts';
export { eachType, type TypeWork, unknownTypes } from './run/types/each-type.ts';
export { recordTypes } from './run/types/record-types.ts';
export { restingMemory, sharedMemory } from './run/types/resting-memory.ts';
export { type WatchPorts, watchHost } from './run/watch-host.ts';
