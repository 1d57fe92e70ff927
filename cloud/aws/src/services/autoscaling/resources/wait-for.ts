import { AwsError } from '../../../account/errors.ts';
import type { Group } from '../model.ts';
import type { Scaler } from '../state.ts';

/**
 * Resolves when a group is as wanted; true if it got there, false if the stack operation was given up.
 * Fails as CloudFormation does when it takes too long.
 */
export function waitFor(
  scaler: Scaler,
  group: Group,
  reached: () => boolean,
  options: { limitMs: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  if (reached()) return Promise.resolve(true);
  if (options.signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    const stop = () => {
      unwatch();
      timer.cancel();
      options.signal?.removeEventListener('abort', give);
    };
    const give = () => {
      stop();
      resolve(false);
    };
    const unwatch = scaler.watch(() => {
      if (!reached()) return;
      stop();
      resolve(true);
    });
    const timer = scaler.aws.engine.clock.after(options.limitMs, () => {
      stop();
      reject(notStabilized(group));
    });
    options.signal?.addEventListener('abort', give, { once: true });
  });
}

function notStabilized(group: Group): AwsError {
  const serving = [...group.members.values()].filter((member) => member.state === 'InService').length;
  const sizes = `${serving}/${group.minSize}/${group.desiredCapacity}`;
  const failed = group.activities.findLast((activity) => activity.status === 'Failed')?.statusMessage;
  const because = failed === undefined ? '' : ` Failed Scaling Activity: ${failed}`;
  const text = `Group did not stabilize. {current/minimum/target group size: ${sizes}}.${because}`;
  return new AwsError('NotStabilized', text, 400);
}
