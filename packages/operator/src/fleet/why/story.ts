import { shortened } from '../../render/short.ts';
import { duration } from '../../render/table.ts';
import { activityIn } from './cause.ts';
import { type InstanceEnd, type JobRun, jobsIn, lossOf, parse } from './jobs-run.ts';
import type { Moment } from './moments.ts';
import { type Words, wordsOf } from './sentences.ts';

export interface StoryFacts {
  readonly instanceId: string;
  readonly groupName: string;
  /** As it was logged, oldest first. */
  readonly moments: readonly Moment[];
  /** Undefined if it is not in the group. */
  readonly lifecycleState: string | undefined;
  /** Why it did not boot, as it reported. */
  readonly bootFailure: string | undefined;
  /** Jobs mode: the job that GitHub gave to its runner. */
  readonly given: string | undefined;
  readonly allowedDrainTimeMs: number;
  /** How far back logs were searched. */
  readonly since: number;
  readonly now: number;
}

/** The event of a moment, in words. */
export interface Sentence {
  readonly at: number;
  readonly source: string;
  readonly text: string;
  readonly bad: boolean;
  readonly isOutcome: boolean;
  /** Set when the same was repeated. */
  readonly repeated?: { readonly times: number; readonly until: number };
}

/** An instance's life, for an operator who asks why. */
export interface Story {
  /** Where it is now, what it did, and how that ended. */
  readonly summary: string;
  readonly warnings: readonly string[];
  readonly sentences: readonly Sentence[];
}

export function tellStory(facts: StoryFacts): Story {
  const life = lifeOf(facts);
  const jobs = jobsIn(facts.moments);
  const lost = jobs.flatMap((job) => {
    const reason = lossOf(job, life.end, facts.now);
    return reason === undefined ? [] : [{ job, reason }];
  });
  const losses = lost.map(({ job, reason }) => ({
    at: lostAt(job, life),
    source: 'jobs',
    text: `job ${job.name} was lost: ${reason}`,
    bad: true,
    isOutcome: true,
  }));
  return {
    summary: summaryOf(facts, life, jobs, lost.length),
    warnings: [
      ...lost.map((one) => lossText(one, life)),
      ...silentLoss(facts, life, lost.length),
      ...(life.failure === undefined ? [] : [life.failure]),
    ],
    sentences: inOrder([...fold(facts), ...losses, ...searched(facts)]),
  };
}

interface Life {
  readonly launchedAt: number | undefined;
  readonly inServiceAt: number | undefined;
  readonly terminatingAt: number | undefined;
  /** Why its launch did not succeed. */
  readonly failure: string | undefined;
  /** GitHub refused to remove its runner, because it had a job. */
  readonly hadJob: boolean;
  readonly end: InstanceEnd;
}

function lifeOf(facts: StoryFacts): Life {
  const { moments, instanceId, lifecycleState, allowedDrainTimeMs } = facts;
  const activities = moments
    .filter(({ source }) => source === 'autoscaling')
    .map(({ at, what }) => ({ at, ...activityIn(what, instanceId) }));
  const launches = activities.filter(({ description }) => /^Launching/.test(description));
  const intoService = launches.filter(({ description }) => !/ into /.test(description));
  const terminations = activities.filter(({ description }) => /^Terminating/.test(description));
  const termination = terminations.findLast(({ outcome }) => outcome === undefined);
  const said = moments.flatMap(({ source, what, at }) => {
    const line = source === 'deregistration' || source === 'agent' ? parse(what) : undefined;
    return line === undefined ? [] : [{ ...line, at } as Line];
  });
  const decided = said.findLast(({ message, actions }) => message === 'drain' && isListed(actions, 'complete'));
  const stopped = said.findLast(({ message }) => message === 'stopped');
  const drainingAt = said.find(({ message }) => message === 'draining')?.at;
  const inServiceAt = intoService.findLast(({ outcome }) => outcome === 'Successful')?.at;
  const failed = launches.findLast(({ outcome }) => outcome === 'Failed' || outcome === 'Cancelled');
  return {
    launchedAt: launches[0]?.at,
    inServiceAt,
    terminatingAt: termination?.at,
    failure: failed === undefined || inServiceAt !== undefined ? undefined : failureText(facts, failed.message, said),
    hadJob: said.some(({ message, outcome }) => message === 'runner removed from the platform' && outcome === 'busy'),
    end: {
      goneAt:
        lifecycleState === undefined ? terminations.findLast(({ outcome }) => outcome === 'Successful')?.at : undefined,
      cause: termination?.cause,
      completedBecause: decided === undefined ? undefined : String(decided.because),
      stoppedBecause: stopped === undefined ? undefined : String(stopped.because),
      warned: drainingAt !== undefined && termination !== undefined && termination.at - drainingAt > warningMs,
      allowedDrainTimeMs,
    },
  };
}

type Line = Readonly<Record<string, unknown>> & { readonly at: number };

/** A host drains when its termination begins; earlier only when EC2 has announced an interruption. */
const warningMs = 30_000;

const isListed = (list: unknown, one: string) => Array.isArray(list) && list.includes(one);

/** The host's own reason says more than that its hook was abandoned. */
function failureText({ bootFailure }: StoryFacts, message: string, said: readonly Line[]): string {
  const gaveUp = said.findLast((line) => /the launch is given up|the boot failed/.test(String(line.message)));
  const reason = bootFailure ?? (typeof gaveUp?.reason === 'string' ? gaveUp.reason : undefined);
  return `it never came into service: ${shortened(reason ?? message)}`;
}

function summaryOf(facts: StoryFacts, life: Life, jobs: readonly JobRun[], lost: number): string {
  const running = jobs.filter(({ endedAt }) => endedAt === undefined);
  const parts = [
    stateOf(facts, life),
    ...drainOf(facts, life),
    jobs.length === 0
      ? life.hadJob
        ? 'It had a job.'
        : 'It ran no job.'
      : `It ran ${jobs.length === 1 ? '1 job' : `${jobs.length} jobs`}; ${lost === 0 ? 'none was lost' : `${lost} lost`}.`,
    ...(life.end.goneAt === undefined ? running.map((job) => runningText(facts, life, job)) : []),
  ];
  return `${facts.instanceId} of ${facts.groupName}: ${parts.join(' ')}`;
}

function stateOf({ lifecycleState, now }: StoryFacts, { launchedAt, end: { goneAt } }: Life): string {
  const lived = (until: number) => (launchedAt === undefined ? '' : ` after ${duration(until - launchedAt)}`);
  if (goneAt !== undefined) return `gone${lived(goneAt)}.`;
  if (lifecycleState === undefined) return 'not in the group (any more).';
  return `${lifecycleState}${launchedAt === undefined ? '' : `, launched ${duration(now - launchedAt)} ago`}.`;
}

function drainOf({ now }: StoryFacts, { terminatingAt, inServiceAt, end }: Life): string[] {
  if (terminatingAt === undefined || inServiceAt === undefined) return [];
  const took = duration((end.goneAt ?? now) - terminatingAt);
  return [`Termination ${end.goneAt === undefined ? `for ${took} so far` : `took ${took}`} (${end.cause}).`];
}

/** A job that still runs there: until when it may. */
function runningText({ now, allowedDrainTimeMs }: StoryFacts, { terminatingAt }: Life, job: JobRun): string {
  const text = `Job ${job.name} has been running for ${duration(now - job.startedAt)}`;
  if (terminatingAt === undefined) return `${text}.`;
  const left = terminatingAt + allowedDrainTimeMs - now;
  return `${text}, and is lost if it runs for ${duration(Math.max(0, left))} more (allowed_drain_time).`;
}

const lossText = ({ job, reason }: { readonly job: JobRun; readonly reason: string }, life: Life) =>
  `job ${job.name} was lost after ${duration(lostAt(job, life) - job.startedAt)}: ${reason}.`;

/** An instance that failed had ended before Auto Scaling took it out; another one runs its job until it is gone. */
function lostAt({ endedAt, startedAt }: JobRun, { terminatingAt, end }: Life): number {
  if (endedAt !== undefined) return endedAt;
  const failed = /health|status check/i.test(end.cause ?? '');
  return Math.max(startedAt, (failed ? terminatingAt : end.goneAt) ?? startedAt);
}

/** An instance that dies in the first seconds of a job has not said which. */
function silentLoss({ instanceId, given, now }: StoryFacts, { hadJob, end }: Life, lost: number): string[] {
  if (!hadJob || lost > 0 || end.goneAt === undefined) return [];
  const job = given === undefined ? 'a job' : `job ${given}`;
  const reason = lossOf({ name: '', startedAt: end.goneAt, endedAt: undefined, result: undefined }, end, now);
  const which =
    given === undefined ? ` It did not say which: look at GitHub for the job of the runner ${instanceId}.` : '';
  return reason === undefined ? [] : [`${job} was lost: ${reason}.${which}`];
}

/** Every minute's pass says that it waits: once is enough. */
function fold({ moments, instanceId }: StoryFacts): Sentence[] {
  const told: { sentence: Sentence; fold: string | undefined }[] = [];
  for (const moment of moments) {
    const words = wordsOf(moment, instanceId);
    if (words === undefined) continue;
    const { at, source } = moment;
    const last = told.findLast((one) => one.sentence.source === source && one.fold !== undefined);
    if (words.fold !== undefined && last?.fold === words.fold) {
      const times = (last.sentence.repeated?.times ?? 1) + 1;
      last.sentence = { ...last.sentence, repeated: { times, until: at } };
    } else told.push({ sentence: sentenceOf(moment, words), fold: words.fold });
  }
  return told.map(({ sentence }) => sentence);
}

const sentenceOf = ({ at, source }: Moment, { text, bad = false, isOutcome = false }: Words): Sentence => ({
  at,
  source,
  text,
  bad,
  isOutcome,
});

/** Within a moment: what was asked comes before what follows from it. */
const ranks = ['runner', 'jobs', 'demand', 'autoscaling'];
const rankOf = ({ source, isOutcome }: Sentence) => {
  const rank = ranks.indexOf(source);
  return isOutcome ? ranks.length + 1 : rank < 0 ? ranks.length : rank;
};

const inOrder = (sentences: readonly Sentence[]): Sentence[] =>
  [...sentences].sort((a, b) => a.at - b.at || rankOf(a) - rankOf(b));

/** Activities go further back than logs are searched. */
function searched({ moments, since }: StoryFacts): Sentence[] {
  const [first] = moments;
  if (first === undefined || first.at >= since) return [];
  return [{ at: since, source: 'logs', text: 'logs were searched from here on', bad: false, isOutcome: false }];
}
