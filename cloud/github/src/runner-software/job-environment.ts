import type { AcquiredJob } from './ports.ts';

/**
 * The environment of a job's hooks, from GitHub's default variables (docs.github.com, "Running scripts before or after
 * a job"; "Variables reference"). Each job is a workflow run of its own here.
 */
export const jobEnvironment = ({ id, name, repository }: AcquiredJob): Record<string, string> => ({
  GITHUB_ACTIONS: 'true',
  GITHUB_REPOSITORY: repository ?? 'example-org/example',
  GITHUB_WORKFLOW: 'ci',
  GITHUB_RUN_ID: String(id),
  GITHUB_RUN_ATTEMPT: '1',
  GITHUB_JOB: name,
});
