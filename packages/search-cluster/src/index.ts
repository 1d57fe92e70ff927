export {
  describePhase,
  type RotationFacts,
  type RotationOutcome,
  rotationProgress,
} from './decide/authority/rotation.ts';
export { hookEndsAt } from './decide/deadline.ts';
export { forecastOf } from './decide/drain/check-before.ts';
export { forecastDisk, lowWatermark } from './decide/drain/check-disk.ts';
export type { DecommissionOutcome, DecommissionStep } from './decide/drain/decommission.ts';
export type {
  BeforeFacts,
  DecommissionCase,
  DecommissionFacts,
  PlacementFacts,
} from './decide/drain/decommission-facts.ts';
export {
  forecastEach,
  forecastRest,
  type Observed,
  recoverySpeed,
  slowestMachine,
  stackUpdateLimitMs,
} from './decide/drain/forecast.ts';
export { describeGrowth, type GrowFacts, type GrowOutcome, growProgress } from './decide/growth/grow.ts';
export { mayGrow } from './decide/growth/room.ts';
export type { Holdings } from './decide/launch/abandon.ts';
export type { InitialMasters } from './decide/launch/bootstrap.ts';
export { type CommissionOutcome, notLaunching } from './decide/launch/commission.ts';
export type { CommissionCase } from './decide/launch/commission-facts.ts';
export { imageToKeep, renamedGroup } from './decide/node-image.ts';
export type { PasswdStep } from './decide/passwd.ts';
export type { ReapAction } from './decide/reap.ts';
export type { FinishOutcome } from './decide/restart/finish-restart.ts';
export type { RestartOutcome } from './decide/restart/prepare-restart.ts';
export { describeStep } from './decide/restore/plan-recovery.ts';
export { renamed, streamName } from './decide/restore/plan-restore.ts';
export { builtInPolicies, type PolicySet, parsePolicies } from './decide/snapshots.ts';
export {
  failedNodes,
  nameOf as nameRollNode,
  type RollFacts,
  type RollOutcome,
  rollProgress,
} from './decide/software/roll.ts';
export { retryAt } from './decide/spread/spread-masters.ts';
export { forecastZoneLosses, type ZoneLoss } from './decide/spread/zone-loss.ts';
export { type MajorityZone, majorityZone } from './decide/spread/zones.ts';
export { decideNodeVersion } from './decide/upgrade/node-version.ts';
export type { CheckVerdict, UpgradePlan } from './decide/upgrade/plan-upgrade.ts';
export { upgradeChecks } from './decide/upgrade/upgrade-checks.ts';
export type { UpgradeIntent, UpgradeOutcome } from './decide/upgrade/upgrade-step.ts';
export { certificateDays } from './decide/vital-signs.ts';
export {
  type Authority,
  type AuthorityAct,
  type AuthorityPhase,
  type AuthorityState,
  certificatesIn,
  type NodeCertificates,
  newestOf,
  sortedName,
} from './model/authority.ts';
export type { AwaitedDeployment } from './model/deployment.ts';
export type { GroupRoom, RoomNote } from './model/growth/room.ts';
export type { ClusterHealth } from './model/health.ts';
export {
  type GroupInstance,
  type GroupMember,
  type HookFacts,
  pendingWait,
  terminatingRetained,
  terminatingWait,
} from './model/lifecycle.ts';
export type { DrillState, LifecycleState, RecoveryNote } from './model/recovery.ts';
export { passwordIn } from './model/secret-value.ts';
export type { NodeVerdict, ShardCopy, ShardState } from './model/shard.ts';
export {
  describeRecord,
  hasGivenUp,
  isDrain,
  isInPlaceRestart,
  restartDelayMs,
  type ShutdownRecord,
  withdrawal,
} from './model/shutdown.ts';
export type {
  RepositoryVerification,
  SlmPolicy,
  SnapshotContent,
  SnapshotFacts,
  SnapshotState,
} from './model/snapshot.ts';
export {
  lastProven,
  pointTo,
  reportIn,
  reportText,
  type Software,
  type SoftwareArchive,
  type SoftwarePointer,
  type WantedSoftware,
  whyNoNewGroup,
} from './model/software.ts';
export type { GroupFrame, SpreadNote, SpreadOutcome } from './model/spread.ts';
export { type ClusterNode, isDataNode, type NodeDisk, type Topology, type VotingFacts } from './model/topology.ts';
export {
  askedIn,
  isTarget,
  replyIn,
  restartMark,
  restartOver,
  type TargetGroup,
  type TrafficFacts,
  type TrafficNote,
} from './model/traffic.ts';
export { compareVersions, isOlder } from './model/version.ts';
export type { DataVolume, VolumeModification } from './model/volume.ts';
export {
  forecastRotation,
  type NodeAuthorities,
  type RotationRun,
  rotateAuthority,
} from './run/authority/rotate-authority.ts';
export { createSnapshot, waitForSnapshot } from './run/create-snapshot.ts';
export { drainThisHost, type HostDrainEnd, type HostDrainReporter } from './run/drain/drain-this-host.ts';
export type { DrainableTermination } from './run/drain/terminating-instance.ts';
export { registerRepository } from './run/ensure-repository.ts';
export { forecastGrowth, type GrowRun, growVolumes, type NodeGrowth } from './run/growth/grow-volumes.ts';
export { keepRoom } from './run/growth/keep-room.ts';
export { checkPolicies, installPolicies, keepSetting, type PolicyReport } from './run/install-policies.ts';
export { keepNodeLeftDelay } from './run/keep-node-left-delay.ts';
export { keepReplica } from './run/keep-replica.ts';
export { abandonLaunch } from './run/launch/abandon-launch.ts';
export { commissionNode } from './run/launch/commission-node.ts';
export { commissionCase } from './run/launch/commission-run.ts';
export { prepareMasters } from './run/launch/prepare-masters.ts';
export { reportReady } from './run/launch/report-ready.ts';
export { changePassword, ensurePassword, storeSuperuser } from './run/passwords.ts';
export { publishVitalSigns } from './run/publish-vital-signs.ts';
export { type Reaped, reap } from './run/reap.ts';
export { endLeftTraffic, finishRestart, prepareRestart, type RestartRun } from './run/restart/restart-in-place.ts';
export { type DrillReport, drill } from './run/restore/drill.ts';
export {
  forecastRecovery,
  type RecoverRun,
  recoverCluster,
  verifyRecovery,
} from './run/restore/recover-cluster.ts';
export { planSnapshotRestore, waitForRestore } from './run/restore/restore-snapshot.ts';
export { keepToken } from './run/rotation/keep-token.ts';
export { rotatePassword } from './run/rotation/rotate-password.ts';
export { forecastRoll, type NodeRolls, type RollRun, rollSoftware } from './run/software/roll-software.ts';
export { type TakeOutcome, takeSoftware } from './run/software/take-software.ts';
export { spreadMasters } from './run/spread/spread-masters.ts';
export {
  forecastUpgrade,
  type NodeUpgrades,
  type UpgradeIntents,
  type UpgradeReader,
  type UpgradeRun,
  upgradeCluster,
} from './run/upgrade/upgrade-cluster.ts';
export { watchCluster } from './run/watch-cluster.ts';
