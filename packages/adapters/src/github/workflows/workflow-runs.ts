import type { RunId, RunJobFacts, WorkflowRuns } from '@drover/runner-fleet';
import type { PlatformClient } from '../client.ts';
import { list, number, object, optional, text } from '../reading.ts';

const runShape = object({ status: text, run_attempt: number });
const jobShape = object({
  id: number,
  runner_name: optional(text),
  conclusion: optional(text),
  completed_at: optional(text),
});
const jobsShape = object({ jobs: list(jobShape) });

const pageSize = 100;

/** Runs of workflows in the repositories of an organisation, or in one repository. */
export const workflowRuns = (client: PlatformClient): WorkflowRuns => ({
  async find(id) {
    const { data } = await client.call(routeOf(id), runShape);
    return { completed: data.status === 'completed', attempt: data.run_attempt };
  },
  async jobs(id) {
    const jobs: RunJobFacts[] = [];
    for (let page = 1, left = true; left; page++) {
      // Those of the newest attempt.
      const parameters = { per_page: pageSize, page };
      const { data } = await client.call(`${routeOf(id)}/jobs`, jobsShape, { parameters });
      jobs.push(...data.jobs.map(toJob));
      left = data.jobs.length === pageSize;
    }
    return jobs;
  },
  rerunJob: (repository, jobId) =>
    client.send(`POST /repos/${repository}/actions/jobs/${jobId}/rerun`).then(() => 'asked' as const, runningInstead),
});

const routeOf = ({ repository, runId }: RunId) => `GET /repos/${repository}/actions/runs/${runId}`;

/** In words that others have seen. */
function runningInstead(error: Error): 'running' {
  if (/already running/.test(error.message)) return 'running';
  throw error;
}

const toJob = ({ id, runner_name = '', conclusion, completed_at }: ReturnType<typeof jobShape>) => ({
  id,
  runnerName: runner_name,
  failed: conclusion === 'failure',
  completedAt: Date.parse(completed_at ?? '') || undefined,
});
