import type { Memory } from '@drover/runner-fleet';

/** A fleet's remains at GitHub and in its memory, and the instances that are alive. */
export interface FleetRemains {
  readonly groupName: string;
  readonly mode: 'idle' | 'jobs';
  /** The type was removed: it has no group. @default false */
  readonly removed?: boolean;
  /** The fleet has further types. @default false */
  readonly hasTypes?: boolean;
  /** Scale sets at GitHub. */
  readonly scaleSets: readonly string[];
  readonly memory: Memory | undefined;
  readonly memoryBytes: number;
  /** In the group or the warm pool. */
  readonly instances: ReadonlySet<string>;
  /** The session that the scale set has at GitHub. */
  readonly session?: string | undefined;
  /** Instances that have a token secret. */
  readonly secrets: readonly string[];
  /** Schedules that call a function which does not exist. */
  readonly schedules: readonly string[];
}

/** Beside what is needed for each instance: lists of pages, the newest failures and jobs. */
const [plainBytes, bytesForEach] = [96 * 1024, 4 * 1024];

/** Remains of a fleet without an owner. Pure. */
export function leftByFleet(remains: FleetRemains): readonly string[] {
  const { groupName, mode, removed = false, hasTypes = false, scaleSets, memory, memoryBytes } = remains;
  const { instances, session, secrets, schedules } = remains;
  const sets = mode === 'jobs' && !removed ? [] : scaleSets.filter((name) => name === groupName);
  const most = plainBytes + bytesForEach * instances.size;
  return [
    ...sets.map((name) => `the scale set ${name} is left at GitHub`),
    ...(session === undefined || session === memory?.jobs?.sessionId
      ? []
      : [`the session ${session} is open at GitHub, and no window holds it`]),
    ...secrets.filter((id) => !instances.has(id)).map((id) => `the token secret of ${id} is left, which is gone`),
    ...schedules.map((rule) => `the schedule ${rule} calls a function that is gone`),
    // A fleet whose last type was removed has no right on what is remembered of it, and nothing reads that any more.
    ...remembered(removed && !hasTypes ? undefined : memory)
      .filter((id) => !instances.has(id))
      .map((id) => `the fleet's memory has ${id}, which is gone`),
    ...(removed && hasTypes && memoryBytes > 0 ? [`the memory of ${groupName} is left, whose type was removed`] : []),
    ...(memoryBytes > most ? [`the fleet's memory has ${memoryBytes} bytes for ${instances.size} instances`] : []),
  ];
}

/** Instances that the functions follow. Failed boots and jobs are kept for the doctor, the newest ones. */
const remembered = (memory: Memory | undefined): readonly string[] =>
  memory === undefined
    ? []
    : [...Object.keys(memory.busyReadings ?? {}), ...Object.keys(memory.terminatingSince ?? {})].filter((id) =>
        /^i-/.test(id),
      );

/** A node of a search cluster: what its process is, and what its disk says. */
export interface NodeRemains {
  readonly name: string;
  readonly version: string;
  /** By file. */
  readonly files: Readonly<Record<string, string | undefined>>;
  /** A restart or an upgrade of this node is under way. */
  readonly restarts: boolean;
}

interface ClusterRemains {
  readonly nodes: readonly NodeRemains[];
  /** Shutdown records of nodes that are in service, with no restart under way. */
  readonly records: readonly string[];
  readonly exclusions: readonly string[];
  /** Attempts to spread the masters that are noted as under way, while their group wants no newcomer. */
  readonly spreads: readonly string[];
}

/** Remains of a search cluster without an owner. Pure. */
export const leftByCluster = ({ nodes, records, exclusions, spreads }: ClusterRemains): readonly string[] => [
  ...nodes
    .filter(({ restarts }) => !restarts)
    .flatMap(({ name, version, files }) =>
      Object.entries(files)
        .filter(([, written]) => written !== undefined && written !== version)
        .map(([file, written]) => `${name} runs ${version}, and ${written} is in ${file}`),
    ),
  ...records.map((name) => `the shutdown record of ${name} is left, which is in service`),
  ...exclusions.map((name) => `the voting exclusion of ${name} is left`),
  ...spreads.map((since) => `the note of ${since} says that masters are being spread, and nothing does it`),
];
