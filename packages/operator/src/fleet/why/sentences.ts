import { shortened } from '../../render/short.ts';
import { duration } from '../../render/table.ts';
import { activityIn } from './cause.ts';
import { parse } from './jobs-run.ts';
import type { Moment } from './moments.ts';

/** A moment in words. */
export interface Words {
  readonly text: string;
  readonly bad?: boolean;
  /** Moments of one source with the same key, one after the other, are shown once. */
  readonly fold?: string;
  /** How something ended: told after what led to it in the same moment. */
  readonly isOutcome?: boolean;
}

type Said = Readonly<Record<string, unknown>>;

/** A moment in words for a reader; undefined if another moment says it better. */
export function wordsOf({ source, what }: Moment, instanceId: string): Words | undefined {
  if (source === 'autoscaling') return ofActivity(what, instanceId);
  if (source === 'runner') return ofRunner(what);
  if (source === 'cloud-init') return { text: 'cloud-init has finished' };
  if (source === 'puppet') return ofPuppet(what);
  const said = parse(what);
  if (said === undefined) return { text: shortened(what), bad: /\b(error|failed|fatal)\b/i.test(what) };
  if (source === 'jobs') return ofJob(said);
  return ofMessage(said);
}

/** `Launching a new EC2 instance: i-…: CAUSE`, and once more with its outcome when it has ended. */
function ofActivity(what: string, instanceId: string): Words {
  const { description, cause, outcome, message } = activityIn(what, instanceId);
  const pool = / warm pool/.test(description);
  if (/^Launching/.test(description)) {
    const into = pool && !/ from /.test(description);
    const where = into ? ' into the warm pool' : pool ? ' from the warm pool' : '';
    if (outcome === undefined) return { text: `launched${where}: ${cause}` };
    if (outcome === 'Successful') return { text: into ? 'in the warm pool' : 'in service', isOutcome: true };
    return { text: `the launch did not succeed: ${message}`, bad: true, isOutcome: true };
  }
  if (!/^Terminating/.test(description)) return { text: shortened(what) };
  if (outcome === undefined) return { text: `termination began${pool ? ' in the warm pool' : ''}: ${cause}` };
  if (outcome === 'Successful') return { text: 'terminated: its power is off, it has left the group', isOutcome: true };
  return { text: `the termination did not succeed: ${message}`, bad: true, isOutcome: true };
}

/** The agent's events report jobs; the rest is what the listener itself writes. */
function ofRunner(what: string): Words | undefined {
  if (/^\{"hook":|Running job: |completed with result: |Connected to GitHub|Current runner version/.test(what))
    return undefined;
  if (/Listening for Jobs/.test(what)) return { text: 'connected to GitHub, listening for jobs', fold: 'listening' };
  return { text: shortened(what), bad: /\b(error|failed|exception)\b/i.test(what) };
}

function ofPuppet(what: string): Words {
  const [, seconds] = /Applied catalog in ([\d.]+) s/.exec(what) ?? [];
  const took = seconds === undefined ? '' : ` in ${duration(Number(seconds) * 1_000)}`;
  return { text: `Puppet has applied its configuration${took}`, fold: 'puppet' };
}

function ofJob(said: Said): Words {
  const name = String(said.job ?? 'a job');
  if (said.event === 'job-started') return { text: `job ${name} started` };
  const bad = said.result === 'Abandoned' || said.result === 'Unknown';
  return { text: `job ${name} ended: ${said.result === 'Unknown' ? 'it did not say how' : said.result}`, bad };
}

/** Lines of our own programs, by their message. */
function ofMessage(said: Said): Words {
  const bad = said.level === 'warn' || said.level === 'error';
  const known = messages[String(said.message)]?.(said);
  if (known !== undefined) return { bad, ...known };
  return { text: shortened(`${String(said.message)}${fieldsOf(said)}`), bad };
}

const because = (words: Readonly<Record<string, string>>, { because: reason }: Said) =>
  words[String(reason)] ?? String(reason).replaceAll('-', ' ');

const messages: Readonly<Record<string, (said: Said) => Words>> = {
  registration: (said) => ({
    text: said.decision === 'mint' ? 'given a registration token' : `hook completed: ${because(registered, said)}`,
  }),
  registered: () => ({ text: 'registered its runner with GitHub' }),
  'the runner service is started': () => ({ text: 'started the runner service' }),
  draining: (said) => ({ text: `drains: ${because(draining, said)}` }),
  finished: (said) => ({ text: `takes no further job: ${because(finished, said)}` }),
  stopped: (said) => ({ text: `stopped the runner for good: ${because(stopped, said)}` }),
  'the listener has ended': ({ meaning, status, by }) => ({
    text: `the runner's listener ended (${String(by)} ${String(status ?? '')}): ${String(meaning)}`,
    // It is ordered to when its runner is removed.
    bad: status !== 0,
  }),
  drain: (said) => ({ text: because(drains, said), fold: String(said.because) }),
  'runner removed from the platform': ({ outcome }) =>
    outcome === 'busy'
      ? { text: 'GitHub did not remove the runner: it has a job' }
      : { text: 'runner removed from GitHub' },
  'no new jobs for the runner: its labels are taken': () => ({ text: 'labels taken: it gets no new job' }),
  'an instance goes': (said) => ({ text: `asked for its termination: ${because(goes, said)}` }),
  'runner at the service': ({ outcome }) => ({
    text:
      outcome === 'absent'
        ? 'its runner is gone from GitHub'
        : outcome === 'busy'
          ? 'GitHub did not remove the runner: it has a job'
          : 'runner removed from GitHub',
  }),
  'an interrupted job is run again': ({ job, outcome }) => ({
    text:
      outcome === 'asked'
        ? `GitHub was asked to run its job ${String(job)} again`
        : `GitHub did not run its job ${String(job)} again: the run goes on`,
  }),
  'an interrupted job is settled': (said) => ({
    text: `its interrupted job ${String(said.job)}: ${because(settled, { because: said.settled })}`,
  }),
  reconcile: (said) => ({
    text: `the sweep ${swept[String(said.kind)] ?? String(said.kind)}: ${String(said.because)}`,
  }),
};

const registered = {
  'token-stored': 'its registration token is stored',
  'runner-exists': 'its runner is registered already',
  parked: 'it waits in the warm pool',
};
const draining = {
  'job-running': 'it waits for its job to end',
  'waiting-for-removal': 'no job runs, it waits until its runner is removed',
};
const finished = {
  'job-done': 'its one job is done',
  'configuration-deleted': 'its configuration was deleted',
  'registration-deleted': 'its registration was deleted',
};
const stopped = {
  'spot-notice': 'AWS takes the spot instance back',
  'runner-removed': 'its runner is removed',
  'platform-unreachable': 'GitHub cannot be reached, and no job came',
  'idle-and-alone': 'no job runs, and its runner was not removed',
  ...finished,
};
const drains = {
  'warm-pool-member': 'completes the termination: it is in the warm pool and has no job',
  'allowed-drain-time-over': 'completes the termination: allowed_drain_time is over',
  'host-dead': 'completes the termination: the host is dead or never booted',
  'runner-removed-host-finishes': 'its runner is removed: the host completes its termination',
  'idle-on-two-readings': 'no job on two readings: its runner may be removed',
  'platform-unreadable': 'waits: GitHub cannot be read',
  'platform-unreachable-host-decides': 'GitHub cannot be reached: the host decides by itself',
  'host-has-not-reported': 'waits: the host has not reported yet',
  'job-running': 'waits: a job runs there',
  'host-report-too-old': 'waits: the last report of the host is too old',
  'second-reading-due': 'waits: no job runs; one more reading must say so',
};
const goes = {
  finished: 'its one job is done',
  'not-needed': 'no job waits for it any more, and it cannot be registered',
  'never-listened': 'it was in service without a listener',
  'runner-unknown': 'GitHub does not know its runner',
  'idle-surplus': 'there are more idle runners than wanted',
  'host-silent': 'its host does not report any more',
  'host-stopped': 'its runner has stopped',
  'taken-back': 'AWS takes the spot instance back, and it has no job',
};
const settled = {
  'run-again': 'it is run again',
  ended: 'it is not run again, it had ended by itself',
  'run-by-others': 'it is not run again, someone else ran it again',
  'once-only': 'it is not run again, it was its second try',
};
const swept: Readonly<Record<string, string>> = {
  'remove-runner': 'removed its runner from GitHub',
  'keep-labels': 'took its labels',
  'mark-unhealthy': 'had it replaced',
  'delete-secret': 'deleted its registration token',
  'complete-termination': 'completed its termination',
  'clear-protection': 'took its scale-in protection',
  'replace-warm-member': 'had it replaced in the warm pool',
};

const usual = new Set(['time', 'level', 'message', 'group', 'instance', 'functionName']);

/** The other fields of a line: `(error: …, attempt 3)`. */
function fieldsOf(said: Said): string {
  const fields = Object.entries(said).filter(([name, value]) => !usual.has(name) && value !== undefined);
  const told = fields.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}
