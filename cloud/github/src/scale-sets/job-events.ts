import { createHash } from 'node:crypto';
import type { Job } from '../model.ts';
import { labelKey } from '../runners/free-runners.ts';
import type { ScaleSet } from './scale-set.ts';

type EventType = 'JobAvailable' | 'JobAssigned' | 'JobStarted' | 'JobCompleted';

/** As .NET writes a moment that has not come. */
const never = '0001-01-01T00:00:00Z';
const moment = (at: number | undefined) => (at === undefined ? never : new Date(at).toISOString());

/** Stays the same however often the job is assigned. */
export function jobGuid(job: Job): string {
  const h = createHash('sha1').update(`job ${job.id}`).digest('hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-5${h.slice(13, 16)}-b${h.slice(17, 20)}-${h.slice(20, 32)}`;
}

export const repositoryOf = (job: Job, org: string): string => job.repository ?? `${org}/example`;

/** Whether a scale set takes jobs of this job's repository; those of an enterprise take all. */
export function reaches(set: ScaleSet, job: Job, org: string): boolean {
  if (set.level.startsWith('enterprises/')) return true;
  const repository = repositoryOf(job, org);
  return set.level.includes('/') ? labelKey(set.level) === labelKey(repository) : true;
}

/**
 * One job of a message (actions/scaleset, types.go). Where jobs are assigned without being acquired `runnerRequestId` is 0 and `jobId` the
 * key (cloudbase/garm pull request 459).
 */
export function jobEvent(
  messageType: EventType,
  job: Job,
  facts: { readonly org: string; readonly acquires: boolean; readonly assignedAt?: number | undefined },
  more: object = {},
): object {
  const [ownerName, repositoryName] = repositoryOf(job, facts.org).split('/');
  const started = messageType === 'JobStarted' || messageType === 'JobCompleted';
  return {
    messageType,
    runnerRequestId: facts.acquires ? job.id : 0,
    ownerName,
    repositoryName,
    jobId: jobGuid(job),
    jobWorkflowRef: `${ownerName}/${repositoryName}/.github/workflows/ci.yml@refs/heads/main`,
    jobDisplayName: job.run?.name ?? `job-${job.id}`,
    workflowRunId: job.run?.id ?? job.id,
    eventName: 'push',
    requestLabels: job.labels,
    queueTime: moment(job.queuedAt),
    scaleSetAssignTime: moment(facts.assignedAt),
    runnerAssignTime: moment(started ? job.dispatchedAt : undefined),
    finishTime: moment(job.endedAt),
    ...(started ? { runnerId: job.runnerId ?? 0, runnerName: job.runnerName ?? '' } : {}),
    ...more,
  };
}
