/** The ports of both domains on AWS, written against `AwsCalls`. Loads no SDK: `./aws/sdk` and `./aws/signed` are what makes the calls. */
export type { AwsCalls, ClusterAws, FleetAws, ObjectBytes, ServiceCalls } from './aws/calls/calls.ts';
export { awsCode, explained } from './aws/calls/errors.ts';
export { awsRoles } from './aws/cluster-roles.ts';
export { dataVolumes } from './aws/data-volumes.ts';
export { groupWithFallback, isFallbackOf } from './aws/fallback/fallback-group.ts';
export { fleetProcesses, groupMembers, groupReader, groupSize, NoSuchGroup, oneGroup } from './aws/group.ts';
export { groupInstances, groupProcesses, instanceTags, retainedInstances } from './aws/group-instances.ts';
export { groupSizes } from './aws/group-sizes.ts';
export { bakingGroup, bakingGroups } from './aws/image/baking-groups.ts';
export { endBakes, setImage } from './aws/image/group-images.ts';
export { scheduledImages } from './aws/image/scheduled-images.ts';
export { hostReports, hostReportsAndTags, type ReportPlace } from './aws/instance/host-reports.ts';
export { instanceLogs } from './aws/instance/instance-logs.ts';
export { type MetadataService, metadataService } from './aws/instance/metadata.ts';
export { ownPlace, ownToken } from './aws/instance/own-instance.ts';
export { ownMetadata } from './aws/instance/own-metadata.ts';
export { lifecycleHook, lifecycleHooks } from './aws/lifecycle-hooks.ts';
export { isBalanced, loadBalancerTargets } from './aws/load-balancer-targets.ts';
export { launchNotes, masterInstances } from './aws/master-instances.ts';
export { clusterMetrics, fleetMetrics } from './aws/metrics.ts';
export { readRelease, releaseMirror } from './aws/release-mirror.ts';
export { nodeAuthorities } from './aws/remote/node-authorities.ts';
export { nodeGrowth } from './aws/remote/node-growth.ts';
export { fetchProgram, nodeRolls } from './aws/remote/node-rolls.ts';
export { nodeUpgrades } from './aws/remote/node-upgrades.ts';
export { type OperatorSsm, remoteAgents } from './aws/remote/remote-agents.ts';
export { remoteCommands } from './aws/remote/remote-commands.ts';
export { runnerTypes } from './aws/runner-types.ts';
export { groupHistory, transitionTimes } from './aws/scaling-activities.ts';
export { isWithoutVersion, secretVersions } from './aws/secret-versions.ts';
export {
  awaitedDeployments,
  copyArchive,
  drillNotes,
  growthNotes,
  type PutText,
  recoveryNotes,
  roomNotes,
  s3FleetMemory,
  softwarePointer,
  spreadNotes,
  stateObjects,
  upgradeIntents,
} from './aws/stored-objects.ts';
export { readSecret, tokenSecrets, typeSecrets } from './aws/token-secrets.ts';
