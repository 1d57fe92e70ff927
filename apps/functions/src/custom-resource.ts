import { TerminalError } from '@drover/core';
import type { ModuleRuntime } from './module-function.ts';

/** A request of CloudFormation (User Guide, "Custom resource request and response reference"). */
export interface CustomResourceEvent {
  readonly RequestType: 'Create' | 'Update' | 'Delete';
  readonly RequestId: string;
  readonly StackId: string;
  readonly ResourceType: string;
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId?: string;
  readonly ResponseURL: string;
  readonly ResourceProperties: Readonly<Record<string, unknown>>;
  /** Of an update. */
  readonly OldResourceProperties?: Readonly<Record<string, unknown>>;
}

/** The whole response may have 4096 bytes. */
const longestReason = 1024;

/**
 * A function behind a custom resource. `act` returns the physical id, or undefined when another function responds
 * later; an error of it is reported as FAILED, because a stack waits an hour for a response that never comes. A
 * response that cannot be delivered fails the invocation, which is retried.
 */
export function customResource(
  { fetch, log }: Pick<ModuleRuntime<never>, 'fetch' | 'log'>,
  act: (event: CustomResourceEvent) => Promise<string | undefined>,
): (event: unknown) => Promise<void> {
  return async (raw) => {
    const event = raw as CustomResourceEvent;
    const { RequestId, StackId, LogicalResourceId, RequestType } = event;
    const same = { RequestId, StackId, LogicalResourceId };
    const answer = await act(event).then(
      (PhysicalResourceId) =>
        PhysicalResourceId === undefined ? undefined : { Status: 'SUCCESS', PhysicalResourceId, ...same },
      (error: Error) => {
        log.error('the request failed', { RequestType, LogicalResourceId, error });
        const Reason = error.message.slice(0, longestReason);
        return { Status: 'FAILED', Reason, PhysicalResourceId: event.PhysicalResourceId ?? RequestId, ...same };
      },
    );
    if (answer === undefined) return;
    const response = await putText(fetch)(event.ResponseURL, JSON.stringify(answer));
    if (response.status >= 300)
      throw new TerminalError(`CloudFormation's response address returned ${response.status} to ${answer.Status}`);
  };
}

/** Puts a text to an address that is signed without a content type. */
export const putText =
  (send: typeof fetch) =>
  (url: string, body: string): Promise<Response> =>
    send(url, { method: 'PUT', headers: { 'content-type': '' }, body });

/** A property that the template must give. */
export function property(event: CustomResourceEvent, name: string): string {
  const value = event.ResourceProperties[name];
  if (typeof value !== 'string' || value === '') throw new TerminalError(`the property ${name} is missing`);
  return value;
}
