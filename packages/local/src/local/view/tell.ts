import type { JournalEntry } from '@drover/cloud-engine';

/** An entry of the journal in a sentence. */
export interface Told {
  readonly text: string;
  readonly bad: boolean;
  /** The instance that it is about. */
  readonly instance: string | undefined;
  readonly job: number | undefined;
}

type Teller = (entry: JournalEntry) => { readonly text: string; readonly bad?: boolean } | undefined;

const lossWords: Readonly<Record<string, string>> = {
  'worker-killed': 'its process was killed',
  'runner-removed': 'its runner was removed while it ran',
  'runner-replaced': 'another machine registered under its name',
  'runner-vanished': 'its machine, runner or network was gone for ten minutes',
  abandoned: 'its runner could not reach GitHub and gave it up',
  cancelled: 'its runner was stopped while it ran',
  'hook-failed': 'a hook script of the runner failed',
  'queued-too-long': 'no runner took it for a day',
};

/**
 * Number of requests in a row that find GitHub away before a runner gives its job up; GitHub itself only sees a lease
 * that ends.
 */
const givenUpAfter = 5;

/** Why a job was lost, in words. */
export function lossText(because: string, unanswered = 0): string {
  const cause = because === 'runner-vanished' && unanswered >= givenUpAfter ? 'abandoned' : because;
  return lossWords[cause] ?? cause;
}

const jobNumber = (subject = '') => Number(subject.replace(/^job-/, ''));

const lifecycle: Readonly<Record<string, string>> = {
  'Pending:Wait': 'waits for its hooks (booting, registering)',
  InService: 'is in service',
  'Terminating:Wait': 'is to be terminated and drains first',
  Terminated: 'has left the group',
  'Warmed:Hibernated': 'is hibernated in the warm pool',
  'Warmed:Stopped': 'is stopped in the warm pool',
};

/** One describer per journal source; other entries are not shown. */
const tellers: Readonly<Record<string, Teller>> = {
  'aws.autoscaling': ({ kind, name }) => {
    if (kind !== 'transition') return undefined;
    const [from, to = ''] = name.split(' -> ');
    if (from === 'none') return { text: to.startsWith('Warmed') ? 'was launched into the warm pool' : 'was launched' };
    if (from?.startsWith('Warmed:') && to === 'Pending') return { text: 'leaves the warm pool' };
    if (from === 'Pending:Wait' && to.startsWith('Terminating')) return { text: 'failed to launch', bad: true };
    const text = lifecycle[to];
    return text === undefined ? undefined : { text };
  },
  machine: ({ name, detail }) => {
    if (/-> crashed$/.test(name)) return { text: `machine failed: ${String(detail?.reason)}`, bad: true };
    if (name === 'booting -> up') return { text: 'booted' };
    if (detail?.unit === 'actions-runner' && /-> active$/.test(name)) return { text: 'started its runner service' };
    return undefined;
  },
  'platform.runner': ({ name, detail }) => {
    switch (name) {
      case 'registered':
        return { text: 'registered its runner with GitHub' };
      case 'online':
        return { text: 'runner is online' };
      case 'offline':
        return { text: 'runner is offline', bad: true };
      case 'removed':
        return { text: `runner removed from GitHub${detail?.by === undefined ? '' : ` by ${String(detail.by)}`}` };
      case 'labels set':
        return { text: 'labels taken away: it gets no new job' };
      default:
        return undefined;
    }
  },
  'platform.job': ({ name, subject, detail }) => {
    const job = `job ${jobNumber(subject)}`;
    if (name === 'running') return { text: `${job} started` };
    if (name === 'completed') return { text: `${job} completed` };
    if (name === 'lost')
      return {
        text: `${job} was lost: ${lossText(String(detail?.because), Number(detail?.unanswered ?? 0))}`,
        bad: true,
      };
    return undefined;
  },
  'aws.cloudwatch': ({ name, subject }) => {
    // These only scale the group.
    if (subject?.startsWith('idle_runners_')) return undefined;
    if (/-> ALARM$/.test(name)) return { text: `alarm ${subject} went off`, bad: true };
    return /^ALARM -> OK$/.test(name) ? { text: `alarm ${subject} is over` } : undefined;
  },
  'aws.lambda': ({ name, subject, detail }) =>
    name === 'failed' ? { text: `function ${subject} failed: ${String(detail?.error)}`, bad: true } : undefined,
  search: ({ name, subject }) => {
    const [what, node] = name.split(' ');
    if (what === 'node-join') return { text: `${node} joined the cluster` };
    if (what === 'node-left') return { text: `${node} left the cluster` };
    if (what === 'crashed') return { text: `Elasticsearch on ${subject} died`, bad: true };
    return undefined;
  },
  'aws.events': ({ name, subject }) =>
    name === 'EC2 Instance Launch Unsuccessful'
      ? { text: `a launch in ${subject?.split('/').at(-1)} failed; Auto Scaling tries another zone`, bad: true }
      : undefined,
};

/** Describes a journal entry to a viewer, if it is of interest. */
export function tell(entry: JournalEntry): Told | undefined {
  const told = tellers[entry.source]?.(entry);
  if (told === undefined) return undefined;
  const { subject = '', detail } = entry;
  const runner = typeof detail?.runner === 'string' ? detail.runner : undefined;
  return {
    text: told.text,
    bad: told.bad ?? false,
    instance: subject.startsWith('i-') ? subject : runner,
    job: subject.startsWith('job-') ? jobNumber(subject) : undefined,
  };
}
