import type { Completion } from '../actions-service/job-end.ts';
import type { AcquiredJob, JobResult } from './ports.ts';

interface JobMessage {
  readonly jobDisplayName: string;
  readonly contextData: { readonly github: { readonly d: readonly { readonly k: string; readonly v: unknown }[] } };
  readonly resources: {
    readonly endpoints: readonly {
      readonly url: string;
      readonly authorization: { readonly parameters: { readonly AccessToken: string } };
    }[];
  };
  readonly steps: readonly {
    readonly reference: { readonly type: string; readonly name?: string; readonly ref?: string };
    readonly inputs: { readonly map: readonly { readonly Key: string; readonly Value: string }[] };
  }[];
}

/** A job as `acquirejob` describes it: of a step the stand-in knows its script. */
export function acquiredFrom(id: number, body: unknown): AcquiredJob {
  const { jobDisplayName: name, contextData, resources, steps } = body as JobMessage;
  const { url, authorization } = resources.endpoints[0]!;
  const { inputs, reference } = steps[0]!;
  const script = inputs.map.find(({ Key }) => Key === 'script')?.Value;
  const step = script === undefined ? { uses: `${reference.name}@${reference.ref}` } : { script };
  const repository = String(contextData.github.d.find(({ k }) => k === 'repository')?.v);
  const endpoint = { url, accessToken: authorization.parameters.AccessToken };
  return { id, name, durationMs: 0, ...step, repository, endpoint };
}

/** The body of `completejob`, as the original puts each end. */
export function completionOf({
  result,
  because,
  canceled,
  output,
  step: failedStep = '__run',
}: JobResult): Completion & { readonly outputs: object } {
  const step = (name: string, conclusion: string) => [{ name, conclusion }];
  const said = { outputs: {}, ...(output === undefined ? {} : { output }) };
  if (because === 'worker-killed') return { conclusion: 'failed', ...said };
  if (canceled === true) return { conclusion: 'canceled', stepResults: step('__run', 'canceled'), ...said };
  if (because === 'cancelled') return { conclusion: 'failed', stepResults: step('__run', 'canceled'), ...said };
  if (because === 'hook-failed') return { conclusion: 'failed', stepResults: step('Set up runner', 'failed'), ...said };
  return { conclusion: result, stepResults: step(failedStep, result), ...said };
}
