import type { JournalEntry } from '@drover/cloud-engine';
import type { EventKind, FleetEvent } from '@drover/observation/story/events';
import { lossText } from '@drover/observation/story/losses';

type Found = Pick<FleetEvent, 'kind' | 'name' | 'group' | 'why'> | undefined;

const lifecycle: Readonly<Record<string, EventKind>> = {
  'Pending:Wait': 'waits-for-hooks',
  InService: 'in-service',
  'Terminating:Wait': 'terminating',
  Terminated: 'gone',
  'Warmed:Hibernated': 'hibernated',
  'Warmed:Stopped': 'stopped',
};

const runnerEvents: Readonly<Record<string, EventKind>> = {
  registered: 'registered',
  online: 'online',
  offline: 'offline',
  'labels set': 'labels-removed',
};

const jobEvents: Readonly<Record<string, EventKind>> = {
  running: 'job-started',
  completed: 'job-completed',
  lost: 'job-lost',
};

/** One reader per journal source; other entries are not events. */
const readers: Readonly<Record<string, (entry: JournalEntry) => Found>> = {
  'aws.autoscaling': ({ kind, name }) => {
    if (kind !== 'transition') return undefined;
    const [from, to = ''] = name.split(' -> ');
    if (from === 'none') return { kind: to.startsWith('Warmed') ? 'launched-into-pool' : 'launched' };
    if (from?.startsWith('Warmed:') && to === 'Pending') return { kind: 'left-pool' };
    if (from === 'Pending:Wait' && to.startsWith('Terminating')) return { kind: 'launch-failed' };
    return found(lifecycle[to]);
  },
  machine: ({ name, detail }) => {
    if (/-> crashed$/.test(name)) return { kind: 'machine-failed', why: String(detail?.reason) };
    if (name === 'booting -> up') return { kind: 'booted' };
    return found(detail?.unit === 'actions-runner' && /-> active$/.test(name) ? 'runner-started' : undefined);
  },
  'platform.runner': ({ name, detail }) => {
    if (name !== 'removed') return found(runnerEvents[name]);
    return detail?.by === undefined ? { kind: 'removed' } : { kind: 'removed-by', name: String(detail.by) };
  },
  'platform.job': ({ name, detail }) => {
    const why = name === 'lost' ? lossText(String(detail?.because), Number(detail?.unanswered ?? 0)) : undefined;
    return found(jobEvents[name], { why });
  },
  'aws.cloudwatch': ({ name, subject }) => {
    // These only scale the group.
    if (subject?.startsWith('idle_runners_')) return undefined;
    if (/-> ALARM$/.test(name)) return { kind: 'alarm-on', name: subject };
    return found(name === 'ALARM -> OK' ? 'alarm-over' : undefined, { name: subject });
  },
  'aws.lambda': ({ name, subject, detail }) =>
    found(name === 'failed' ? 'function-failed' : undefined, { name: subject, why: String(detail?.error) }),
  search: ({ name, subject }) => {
    const [what, node] = name.split(' ');
    if (what === 'crashed') return { kind: 'node-died', name: subject };
    return found(what === 'node-join' ? 'node-joined' : what === 'node-left' ? what : undefined, { name: node });
  },
  'aws.events': ({ name, subject }) =>
    found(name === 'EC2 Instance Launch Unsuccessful' ? 'no-launch' : undefined, { group: subject?.split('/').at(-1) }),
};

const found = (kind: EventKind | undefined, more: Omit<NonNullable<Found>, 'kind'> = {}): Found =>
  kind === undefined ? undefined : { kind, ...more };

/** The event that a journal entry shows to a viewer, if it is of interest. */
export function journalEvent(entry: JournalEntry): FleetEvent | undefined {
  const event = readers[entry.source]?.(entry);
  if (event === undefined) return undefined;
  const { at, subject = '', detail } = entry;
  const runner = typeof detail?.runner === 'string' ? detail.runner : undefined;
  return {
    at,
    ...event,
    instance: subject.startsWith('i-') ? subject : runner,
    job: subject.startsWith('job-') ? Number(subject.slice('job-'.length)) : undefined,
  };
}
