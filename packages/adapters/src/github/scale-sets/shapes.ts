import type { DemandMessage, DemandStatistics, JobEvent, JobEventKind } from '@drover/runner-fleet';
import { list, number, object, optional, type Read, text } from '../reading.ts';

export const nothing: Read<void> = () => {};

const statisticsShape = object({
  totalAvailableJobs: number,
  totalAssignedJobs: number,
  totalRunningJobs: number,
  totalRegisteredRunners: number,
  totalBusyRunners: number,
  totalIdleRunners: number,
});

const statistics: Read<DemandStatistics> = (value, at) => {
  const told = statisticsShape(value, at);
  return {
    available: told.totalAvailableJobs,
    assigned: told.totalAssignedJobs,
    running: told.totalRunningJobs,
    registered: told.totalRegisteredRunners,
    busy: told.totalBusyRunners,
    idle: told.totalIdleRunners,
  };
};

export const group = object({ id: number, name: text });
export const scaleSet = object({ id: number, name: text });
export const found = <T>(read: Read<T>) => object({ value: list(read) });

export const session = object({
  sessionId: text,
  messageQueueUrl: optional(text),
  messageQueueAccessToken: optional(text),
  statistics: optional(statistics),
});

const agent = object({ id: number, name: text, runnerScaleSetId: optional(number) });
export const agents = found(agent);
export const jitConfiguration = /* @__PURE__ */ object({ runner: agent, encodedJITConfig: text });

const eventShape = object({
  messageType: text,
  jobId: optional(text),
  runnerRequestId: optional(number),
  ownerName: optional(text),
  repositoryName: optional(text),
  jobDisplayName: optional(text),
  workflowRunId: optional(number),
  queueTime: optional(text),
  runnerName: optional(text),
  result: optional(text),
});

const kinds: Readonly<Record<string, JobEventKind>> = {
  JobAvailable: 'available',
  JobAssigned: 'assigned',
  JobStarted: 'started',
  JobCompleted: 'completed',
};

/** The service's type of the messages that hold news of jobs. */
const jobMessages = 'RunnerScaleSetJobMessages';

const messageShape = object({ messageId: number, messageType: text, statistics, body: optional(text) });

/** News of another type, and of events that are not known, are no news: the statistics count. */
export const message: Read<DemandMessage> = (value, at) => {
  const told = messageShape(value, at);
  const body = told.messageType === jobMessages && told.body ? (JSON.parse(told.body) as unknown) : [];
  return {
    id: told.messageId,
    statistics: told.statistics,
    events: list(eventShape)(body, 'body').flatMap((event) => toEvent(event)),
  };
};

function toEvent(told: ReturnType<typeof eventShape>): readonly JobEvent[] {
  const kind = kinds[told.messageType];
  if (kind === undefined) return [];
  const queuedAt = Date.parse(told.queueTime ?? '');
  return [
    {
      kind,
      // Older servers have no id of the job.
      jobId: told.jobId || String(told.runnerRequestId ?? 0),
      requestId: told.runnerRequestId ?? 0,
      repository: [told.ownerName, told.repositoryName].filter(Boolean).join('/'),
      name: told.jobDisplayName ?? '',
      runId: told.workflowRunId,
      ...(queuedAt > 0 ? { queuedAt } : {}),
      ...(told.runnerName ? { runnerName: told.runnerName } : {}),
      ...(told.result ? { result: told.result } : {}),
    },
  ];
}
