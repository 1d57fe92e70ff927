import type { Job } from '../model.ts';

/** The original wants GUIDs for jobs; ours are numbers. */
export const jobGuid = (id: number): string => guid(id, 0);
const guid = (id: number, part: number): string => `00000000-0000-4000-800${part}-${id.toString(16).padStart(12, '0')}`;
export const jobIn = (guid: unknown): number => Number.parseInt(String(guid).slice(-12), 16);

/** GitHub writes maps of a context as lists of pairs. */
const map = (entries: Readonly<Record<string, unknown>>) => ({
  t: 2,
  d: Object.entries(entries).map(([k, v]) => ({ k, v })),
});

/**
 * The least job that the original runs (actions/runner, AgentJobRequestMessage.cs): one step, with bash, that takes the job's time and then does
 * what its script says. DROVER_JOB_SPEED in the runner's environment shortens the time.
 */
export function jobMessage(
  job: Job,
  options: { readonly runServiceUrl: string; readonly accessToken: string },
): object {
  const name = `job-${job.id}`;
  const repository = job.repository ?? 'example-org/example';
  const [owner] = repository.split('/');
  return {
    messageType: 'RunnerJobRequest',
    plan: { scopeIdentifier: jobGuid(job.id), planType: 'free', version: 12, planId: jobGuid(job.id) },
    timeline: { id: guid(job.id, 1) },
    jobId: jobGuid(job.id),
    jobDisplayName: name,
    jobName: '__default',
    requestId: job.id,
    lockedUntil: new Date(0).toISOString(),
    resources: {
      endpoints: [
        {
          name: 'SystemVssConnection',
          url: options.runServiceUrl,
          data: {},
          authorization: { scheme: 'OAuth', parameters: { AccessToken: options.accessToken } },
        },
      ],
    },
    contextData: {
      github: map({
        repository,
        repository_owner: owner,
        run_id: String(job.id),
        run_number: '1',
        run_attempt: '1',
        workflow: 'ci',
        actor: owner,
        event_name: 'push',
        ref: 'refs/heads/main',
        sha: '0'.repeat(40),
        server_url: 'https://github.com',
        api_url: 'https://api.github.com',
        event: { t: 2 },
      }),
    },
    variables: {
      'system.github.token': { value: 'not-a-token', isSecret: true },
      'system.github.job': { value: name },
      'system.runner.lowdiskspacethreshold': { value: '100' },
    },
    steps: [
      {
        type: 'action',
        ...stepOf(job),
        // Logs of job and step would have one name otherwise.
        id: guid(job.id, 2),
        name: '__run',
        contextName: '__run',
        condition: 'success()',
      },
    ],
    workspace: {},
    mask: [],
    fileTable: ['.github/workflows/ci.yml'],
  };
}

function stepOf(job: Job) {
  if (job.uses !== undefined) {
    const [name, ref] = job.uses.split('@');
    return { reference: { type: 'repository', name, ref, repositoryType: 'GitHub' }, inputs: { type: 2, map: [] } };
  }
  const map = [
    { Key: 'script', Value: scriptOf(job) },
    { Key: 'shell', Value: 'bash' },
  ];
  return { reference: { type: 'script' }, inputs: { type: 2, map } };
}

const scriptOf = ({ durationMs, script }: Job): string =>
  `${durationMs > 0 ? `sleep "$((${durationMs} / \${DROVER_JOB_SPEED:-1}))e-3"\n` : ''}${script ?? 'true'}\n`;
