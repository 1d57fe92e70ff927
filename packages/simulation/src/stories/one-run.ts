import type { CodeHost } from '@drover/cloud-github';

const minute = 60_000;

/** Starts a run with a job for each name, whose runners are those of the fleet `runners`. */
export function startRun(codeHost: CodeHost, jobs: Readonly<Record<string, number>>, label = 'runners') {
  return codeHost.runs.start(`${codeHost.org}/app`, '.github/workflows/ci.yml', {
    name: 'ci',
    title: 'ci',
    jobs: Object.entries(jobs).map(([name, minutes]) => ({
      name,
      labels: [label],
      script: '',
      uses: undefined,
      durationMs: minutes * minute,
    })),
  });
}
