import { onlyBranch } from '../../workflows/repository-files.ts';
import { conclusionOf, progressOf, type RunJob, type WorkflowRun } from '../../workflows/workflow-runs.ts';
import { notModelled } from '../responses.ts';
import { levelIn } from './levels.ts';
import { presentRepository } from './repository-shape.ts';
import { json, numberIn, pagedJson, type Route, type RouteAnswer, type RouteCall, timestamp } from './route.ts';

const repo = '/repos/{owner}/{repo}';
const runs = 'rest/actions/workflow-runs';

const route = (method: Route['method'], path: string, docs: string, answer: Route['answer']): Route => ({
  method,
  path: `${repo}/actions/${path}`,
  docs,
  access: 'actions',
  resource: 'core',
  answer,
});

/** docs.github.com, "REST API endpoints for workflows", "… for workflow runs", "… for workflow jobs". */
export const workflowRoutes: readonly Route[] = [
  route(
    'POST',
    'workflows/{workflow_id}/dispatches',
    'rest/actions/workflows#create-a-workflow-dispatch-event',
    dispatch,
  ),
  route('GET', 'runs', `${runs}#list-workflow-runs-for-a-repository`, listRuns),
  route('GET', 'runs/{run_id}', `${runs}#get-a-workflow-run`, (call) => json(200, presentRun(call, runIn(call)))),
  route('DELETE', 'runs/{run_id}', `${runs}#delete-a-workflow-run`, (call) => {
    call.host.runs.delete(runIn(call));
    return { status: 204, text: '' };
  }),
  route('POST', 'runs/{run_id}/cancel', `${runs}#cancel-a-workflow-run`, (call) => {
    call.host.runs.cancel(runIn(call));
    return json(202, {});
  }),
  route('GET', 'runs/{run_id}/jobs', 'rest/actions/workflow-jobs#list-jobs-for-a-workflow-run', listJobs),
  route('POST', 'jobs/{job_id}/rerun', `${runs}#re-run-a-job-from-a-workflow-run`, (call) => {
    call.host.runs.rerun(levelIn(call), numberIn(call.params, 'job_id'));
    return json(201, {});
  }),
];

const runIn = (call: RouteCall): WorkflowRun => call.host.runs.find(levelIn(call), numberIn(call.params, 'run_id'));

/** The run's id is returned where it is asked for, on github.com; an Enterprise Server's description has no response with content. */
function dispatch(call: RouteCall): RouteAnswer {
  const { host, params, body, api, site } = call;
  const inputs = (body.inputs ?? {}) as Readonly<Record<string, unknown>>;
  const { id, repository } = host.runs.dispatch(levelIn(call), params.workflow_id!, String(body.ref), inputs);
  if (host.enterprise || body.return_run_details !== true) return { status: 204, text: '' };
  const run_url = `${api}/repos/${repository}/actions/runs/${id}`;
  return json(200, { workflow_run_id: id, run_url, html_url: `${site}/${repository}/actions/runs/${id}` });
}

function listRuns(call: RouteCall): RouteAnswer {
  const { host, query } = call;
  for (const name of ['actor', 'branch', 'created', 'status', 'head_sha', 'check_suite_id'])
    if (query.has(name)) throw notModelled(`${name} of workflow runs`);
  const all = ['workflow_dispatch', null].includes(query.get('event')) ? host.runs.of(levelIn(call)) : [];
  return pagedJson(query, all, (items) => ({
    total_count: all.length,
    workflow_runs: items.map((run) => presentRun(call, run)),
  }));
}

/** The last attempt of each job; `filter=all`: every attempt. */
function listJobs(call: RouteCall): RouteAnswer {
  const run = runIn(call);
  const jobs = call.query.get('filter') === 'all' ? run.jobs : call.host.runs.latest(run);
  return pagedJson(call.query, jobs, (items) => ({
    total_count: jobs.length,
    jobs: items.map((one) => presentJob(call, run, one)),
  }));
}

const commit = '0'.repeat(40);

function presentRun(call: RouteCall, run: WorkflowRun) {
  const { host, api, site } = call;
  const { id, repository, path, name, title, number, attempt, createdAt } = run;
  const url = `${api}/repos/${repository}/actions/runs/${id}`;
  const status = host.runs.progress(run);
  const ends = host.runs.latest(run).map(({ job }) => conclusionOf(job));
  const worst = (['cancelled', 'failure'] as const).find((one) => ends.includes(one)) ?? 'success';
  const shape = presentRepository(call, repository);
  return {
    id,
    node_id: `WFR_${id}`,
    name,
    display_title: title,
    path,
    run_number: number,
    run_attempt: attempt,
    event: 'workflow_dispatch',
    status,
    conclusion: status === 'completed' ? worst : null,
    head_branch: onlyBranch,
    head_sha: commit,
    head_commit: null,
    workflow_id: 1,
    pull_requests: [],
    created_at: timestamp(createdAt),
    updated_at: timestamp(createdAt),
    run_started_at: timestamp(createdAt),
    url,
    html_url: `${site}/${repository}/actions/runs/${id}`,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${api}/repos/${repository}/check-suites/${id}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    workflow_url: `${api}/repos/${repository}/actions/workflows/1`,
    repository: shape,
    head_repository: shape,
  };
}

function presentJob({ api, site }: RouteCall, run: WorkflowRun, { job, attempt }: RunJob) {
  const url = `${api}/repos/${run.repository}/actions`;
  return {
    id: job.id,
    node_id: `CR_${job.id}`,
    run_id: run.id,
    run_url: `${url}/runs/${run.id}`,
    run_attempt: attempt,
    head_sha: commit,
    head_branch: onlyBranch,
    workflow_name: run.name,
    name: job.run?.name ?? '',
    labels: job.labels,
    status: progressOf(job),
    conclusion: conclusionOf(job),
    created_at: timestamp(job.queuedAt),
    started_at: timestamp(job.acquiredAt ?? job.queuedAt),
    completed_at: job.endedAt === undefined ? null : timestamp(job.endedAt),
    url: `${url}/jobs/${job.id}`,
    html_url: `${site}/${run.repository}/actions/runs/${run.id}/job/${job.id}`,
    check_run_url: `${api}/repos/${run.repository}/check-runs/${job.id}`,
    runner_id: job.runnerId ?? null,
    runner_name: job.runnerName ?? null,
    runner_group_id: null,
    runner_group_name: null,
  };
}
