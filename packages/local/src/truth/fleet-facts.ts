import type { GroupView, MemberView } from '@drover/cloud-world';
import {
  alarmName,
  bakeNoteKey,
  environment,
  functionName,
  functionsOf,
  hostReportPrefix,
  releaseObject,
  sessionOwner,
  typeMemoryKey,
} from '@drover/core/names/runner-fleet';
import { fleetAlarms } from '@drover/operator/fleet/alarms';
import type { DoctorFacts, FunctionFacts, WaitingInstance } from '@drover/operator/fleet/doctor/facts';
import { lookBackMs } from '@drover/operator/fleet/doctor/look-back';
import {
  type BakeNote,
  type FleetInstance,
  type FleetRelease,
  type HostReport,
  type Memory,
  templateProgress,
  waitsForLaunch,
  waitsForTermination,
  withSignal,
} from '@drover/runner-fleet';
import type { DeployedFleet } from '@drover/stage/fleet';
import { groupFactsOf } from './group-facts.ts';
import { parsed } from './parsed.ts';

const day = 24 * 3_600_000;

/** Facts that `drover fleet doctor` would read, taken from the world past all faults but those that keep the platform from being read. */
export function fleetFactsOf(fleet: DeployedFleet, group: GroupView, type?: string): DoctorFacts {
  const { groupName, codeHost } = fleet;
  const { observe } = fleet.world;
  const now = fleet.clock.now();
  const inJobsMode = observe.functionNames().includes(functionName(groupName, 'demand'));
  const mode = inJobsMode ? 'jobs' : 'idle';
  const env = observe.functionState(functionName(groupName, 'deregistration'))?.environment ?? {};
  const bucket = env[environment.memoryBucket] ?? '';
  const ofFleet: Partial<Memory> = parsed<Memory>(observe.object(bucket, env[environment.memoryKey] ?? '')) ?? {};
  const memory = type === undefined ? ofFleet : memoryOf(type, bucket, ofFleet, observe);
  const instances = [...group.members.values()].map(instanceOf);
  const waiting = waitingOf(
    fleet,
    group,
    instances,
    hostReportPrefix(env[environment.instanceArnPrefix] ?? ''),
    bucket,
    inJobsMode,
  );
  const inService = instances.filter(({ lifecycleState }) => lifecycleState === 'InService');
  const wanted = fleetAlarms(groupName, mode);
  const alarms = observe
    .alarms()
    .filter(({ name }) => wanted.has(name))
    .map(({ name, state }) => ({ name, on: state === 'ALARM' }));
  const bootFailures = (memory.bootFailures ?? []).filter(({ at }) => now - at < day);
  return {
    now,
    groupName: group.name,
    fleetName: groupName,
    type,
    stack: groupName,
    allowedDrainTimeMs: Number(env[environment.allowedDrainTime] ?? 0) * 1000,
    level: { kind: 'org', name: codeHost.org },
    platformApi: codeHost.apiUrl,
    tokenSecret: undefined,
    tokenExpiresAt: undefined,
    platform: platformOf(fleet),
    launching: waiting.filter(waitsForLaunch),
    terminating: waiting.filter(waitsForTermination),
    silent: inService
      .map(({ id }) => ({ id, status: observe.agentStatus(id) ?? 'never registered' }))
      .filter(({ status }) => status !== 'Online'),
    functions: Object.fromEntries(
      functionsOf(mode).map((suffix) => [suffix, functionFactsOf(fleet, suffix, alarms, now)]),
    ) as unknown as DoctorFacts['functions'],
    alarms,
    jobs: inJobsMode ? (memory.jobs ?? {}) : undefined,
    sessionOwner: sessionOwner(groupName, env[environment.instanceArnPrefix] ?? ''),
    leftJobs: inJobsMode ? undefined : memory.jobs,
    routes: new Map(),
    runnerRoutes: [],
    pool: group.warmPool && {
      minSize: group.warmPool.minSize,
      members: instances.filter(({ inWarmPool }) => inWarmPool).map(({ id, lifecycleState: state }) => ({ id, state })),
    },
    onDemandBase: undefined,
    jobPrivileges: [],
    bootFailures,
    template: templateProgress(templateGroup(group, instances), memory.bootFailures, now),
    group: groupFactsOf(group, now),
    release: parsed<FleetRelease>(observe.object(bucket, releaseObject)),
    bakes: bakesOf(parsed<BakeNote>(observe.object(bucket, bakeNoteKey(group.name)))),
    runnerVersions: codeHost.registry.runners.flatMap(({ version }) => version ?? []),
  };
}

const bakesOf = (note: BakeNote | undefined): DoctorFacts['bakes'] =>
  note && { ...(note.failure === undefined ? {} : { lastFailure: note.failure }) };

/** Memory of a type, with the news of the last windows as the commands read it. */
function memoryOf(
  type: string,
  bucket: string,
  { types }: Partial<Memory>,
  observe: DeployedFleet['world']['observe'],
): Partial<Memory> {
  const memory: Partial<Memory> = parsed<Memory>(observe.object(bucket, typeMemoryKey(type))) ?? {};
  return memory.jobs === undefined ? memory : { ...memory, jobs: withSignal(memory.jobs, types?.[type]) };
}

/** Result of a read of GitHub now. */
export function platformOf({ world, codeHost }: DeployedFleet): DoctorFacts['platform'] {
  const point = { service: 'platform', operation: 'dispatch' };
  const { faults } = world.engine;
  if (faults.lasts(point, ['error', 'timeout']))
    return { kind: 'failed', reason: 'unreachable', message: 'GitHub does not respond' };
  if (faults.lasts(point, ['throttle']) || codeHost.limits.status('user ID 1', 'core').remaining === 0)
    return { kind: 'limited', reason: 'rate-limit', message: 'GitHub takes no more requests' };
  return { kind: 'ok' };
}

const instanceOf = ({ instanceId: id, state, healthy, protectedFromScaleIn, template }: MemberView): FleetInstance => ({
  id,
  lifecycleState: state,
  healthy,
  protectedFromScaleIn,
  launchTemplateVersion: template.version,
  inWarmPool: state.startsWith('Warmed:'),
});

const templateGroup = (group: GroupView, instances: readonly FleetInstance[]) => ({
  name: group.name,
  minSize: group.minSize,
  maxSize: group.maxSize,
  desiredCapacity: group.desiredCapacity,
  instances,
  hasWarmPool: group.warmPool !== undefined,
  launchTemplateVersion: group.source.template.version,
});

function waitingOf(
  { world, codeHost, clock }: DeployedFleet,
  group: GroupView,
  instances: readonly FleetInstance[],
  prefix: string,
  bucket: string,
  inJobsMode: boolean,
): readonly WaitingInstance[] {
  const { observe } = world;
  return instances
    .filter((instance) => waitsForLaunch(instance) || waitsForTermination(instance))
    .map((instance) => {
      // Doctor lists no runners of a scale set.
      const runner = inJobsMode ? undefined : codeHost.registry.index.named(instance.id);
      return {
        ...instance,
        since: group.members.get(instance.id)?.activity?.startTime ?? clock.now(),
        runner: runner && {
          id: runner.id,
          name: runner.name,
          status: 'online',
          busy: runner.job !== undefined,
          labels: [],
        },
        report: parsed<HostReport>(observe.object(bucket, `${prefix}${instance.id}`)),
        remoteAgent: observe.agentStatus(instance.id) ?? 'never registered',
      };
    });
}

function functionFactsOf(
  { world, groupName }: DeployedFleet,
  suffix: Parameters<typeof functionName>[1],
  alarms: DoctorFacts['alarms'],
  now: number,
): FunctionFacts {
  const name = functionName(groupName, suffix);
  const state = world.observe.functionState(name);
  const isOn = (wanted: string) => alarms.some((alarm) => alarm.on && alarm.name === wanted);
  const ofSilence =
    suffix === 'record_metric'
      ? [alarmName.metricSilent(groupName)]
      : suffix === 'demand'
        ? [alarmName.demandSignalOld(groupName)]
        : [];
  return {
    name,
    timeoutSeconds: state?.timeoutSeconds ?? 0,
    reservedConcurrency: state?.reservedConcurrency,
    throttleAlarm: isOn(alarmName.throttles(name)),
    failureAlarms: [alarmName.errors(name), ...ofSilence].filter(isOn),
    failures: failuresIn(world.observe.logEventsSince(state?.logGroup ?? '', now - lookBackMs)),
  };
}

/** Our own lines of level error, and Lambda's lines about a function that threw or was cut off. */
function failuresIn(
  events: readonly { readonly timestamp: number; readonly message: string }[],
): FunctionFacts['failures'] {
  return events
    .filter(({ message }) => /"level":"error"|Invoke Error|Task timed out/i.test(message))
    .map(({ timestamp: at, message: text }) => ({ at, stream: '', text }));
}
