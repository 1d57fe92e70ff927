import type { LifeEvent, LostBy, RecentEvent } from '../api.ts';

/** Each kind of event: where it comes from, and its text. `{…}` is a field of the event. */
const kinds = {
  launched: ['autoscaling', 'was launched'],
  'launched-into-pool': ['autoscaling', 'was launched into the warm pool'],
  'left-pool': ['autoscaling', 'leaves the warm pool'],
  'waits-for-hooks': ['autoscaling', 'waits for its hooks (booting, registering)'],
  'in-service': ['autoscaling', 'is in service'],
  'in-pool': ['autoscaling', 'is in the warm pool'],
  hibernated: ['autoscaling', 'is hibernated in the warm pool'],
  stopped: ['autoscaling', 'is stopped in the warm pool'],
  terminating: ['autoscaling', 'is to be terminated and drains first'],
  gone: ['autoscaling', 'has left the group'],
  'launch-failed': ['autoscaling', 'failed to launch'],
  'no-launch': ['autoscaling', 'a launch in {group} failed'],
  activity: ['autoscaling', '{name}'],
  booted: ['machine', 'booted'],
  'machine-failed': ['machine', 'machine failed'],
  'runner-started': ['machine', 'started its runner service'],
  registered: ['platform', 'registered its runner with GitHub'],
  online: ['platform', 'runner is online'],
  offline: ['platform', 'runner is offline'],
  removed: ['platform', 'runner removed from GitHub'],
  'removed-by': ['platform', 'runner removed from GitHub by {name}'],
  'labels-removed': ['platform', 'labels taken away: it gets no new job'],
  'job-started': ['jobs', 'job {job} started'],
  'job-completed': ['jobs', 'job {job} completed'],
  'job-lost': ['jobs', 'job {job} was lost'],
  'alarm-on': ['cloudwatch', 'alarm {name} went off'],
  'alarm-over': ['cloudwatch', 'alarm {name} is over'],
  'function-failed': ['lambda', 'function {name} failed'],
  'node-joined': ['search', '{name} joined the cluster'],
  'node-left': ['search', '{name} left the cluster'],
  'node-died': ['search', 'Elasticsearch on {name} died'],
  'cluster-green': ['search', 'The cluster is green: every shard has its copies.'],
  'cluster-yellow': ['search', 'The cluster is yellow: copies of some shards are missing, no data is.'],
  'cluster-red': ['search', 'The cluster is red: some data cannot be reached.'],
  'cluster-none': ['search', 'The cluster has no master.'],
} as const satisfies Record<string, readonly [source: string, text: string]>;

export type EventKind = keyof typeof kinds;

const bad: ReadonlySet<EventKind> = new Set([
  'launch-failed',
  'no-launch',
  'machine-failed',
  'offline',
  'job-lost',
  'alarm-on',
  'function-failed',
  'node-died',
  'cluster-red',
  'cluster-none',
]);

/**
 * Something that happened to a fleet or a cluster. Both readers list these: of a world from its journal, of an account
 * from activities, alarms, logs and jobs. Their words are in this file alone.
 */
export interface FleetEvent {
  readonly at: number;
  readonly kind: EventKind;
  readonly instance?: string | undefined;
  readonly group?: string | undefined;
  readonly job?: number | undefined;
  /** Of an alarm, a function or a node. */
  readonly name?: string | undefined;
  readonly zone?: string | undefined;
  /** The reason, where one is known. */
  readonly why?: string | undefined;
  /** Of a lost job: to whose account it goes. */
  readonly by?: LostBy | undefined;
}

export interface EventText {
  readonly text: string;
  readonly bad: boolean;
  /** Its subject: a part of an address of the page. */
  readonly about: string | undefined;
}

/** The text of an event, with its subject. */
export function describeEvent(event: FleetEvent): EventText {
  const { instance, job } = event;
  const { text, bad: isBad } = lifeEvent(event);
  if (job !== undefined) return { text, bad: isBad, about: `job/${job}` };
  if (instance === undefined) return { text, bad: isBad, about: undefined };
  return { text: `${instance} ${text}`, bad: isBad, about: `instance/${instance}` };
}

/** The text of an event in the life of its instance. */
export function lifeEvent(event: FleetEvent): LifeEvent {
  const text = kinds[event.kind][1].replace(/\{(name|job|group)\}/, (_, field: 'name') => String(event[field]));
  return { at: event.at, text: event.why === undefined ? text : `${text}: ${event.why}`, bad: bad.has(event.kind) };
}

export const recentEvent = (event: FleetEvent): RecentEvent => {
  const { text, bad: isBad } = describeEvent(event);
  return { at: event.at, source: kinds[event.kind][0], text, kind: isBad ? 'trouble' : 'change' };
};

/** Of the whole cluster or one of its nodes. */
export const isOfCluster = ({ kind }: FleetEvent): boolean => kinds[kind][0] === 'search';

/** Of a group as a whole: its alarms, its functions, launches without an instance. Alarms and functions have its name in theirs. */
export const isOfGroup = ({ group, name = '' }: FleetEvent, wanted: string): boolean =>
  group === wanted || name.endsWith(`-${wanted}`) || name.startsWith(`${wanted}_`);
