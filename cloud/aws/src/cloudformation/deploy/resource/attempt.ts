import { setMaxListeners } from 'node:events';
import type { ResourceState } from '../../../account/service.ts';
import { failureReason, ResourceFailure } from '../../errors.ts';
import type { ResourceStatus, Run, StackResource } from '../model.ts';
import { recordResource } from '../record.ts';

/** Why an operation stops early. */
export class OperationStopped extends Error {}

/** The switch that stops an operation; every resource under way listens to it, so there is no limit to warn of. */
export function operationSwitch(): AbortController {
  const abort = new AbortController();
  setMaxListeners(0, abort.signal);
  return abort;
}

/** Waits for a provider, but not longer than the operation goes on. What was given up is remembered for the rollback. */
export async function whileRunning(
  run: Run,
  resource: StackResource,
  act: () => ResourceState | Promise<ResourceState>,
): Promise<ResourceState> {
  const { signal } = run.abort;
  signal.throwIfAborted();
  const acting = (async () => await act())();
  let stop: () => void = () => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([acting, stopped]);
  } catch (error) {
    if (error instanceof OperationStopped) resource.unfinished = settle(resource, acting);
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function settle(resource: StackResource, acting: Promise<ResourceState>): Promise<void> {
  try {
    resource.physicalId = (await acting).physicalId;
  } catch (error) {
    if (error instanceof ResourceFailure && error.physicalId !== undefined) resource.physicalId = error.physicalId;
  }
}

/** Records that a resource failed and stops the operation; what was merely in the way is recorded as cancelled. */
export function recordFailure(run: Run, resource: StackResource, status: ResourceStatus, error: unknown): void {
  if (error instanceof ResourceFailure && error.physicalId !== undefined) resource.physicalId = error.physicalId;
  if (error instanceof OperationStopped) {
    recordResource(run, resource, status, `Resource ${status === 'UPDATE_FAILED' ? 'update' : 'creation'} cancelled`);
    return;
  }
  recordResource(run, resource, status, failureReason(error));
  run.failed.push(resource.logicalId);
  run.abort.abort(new OperationStopped());
}

/** One small step of time, or the end of the operation. */
export const pause = (run: Run): Promise<void> =>
  run.context.clock.sleep(run.context.resourceDelayMs, run.abort.signal);
