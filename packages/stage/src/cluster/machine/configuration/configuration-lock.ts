import type { ProcessContext } from '@drover/cloud-machines';
import { versionVariable } from '@drover/core/names/search-cluster';

/** The folder of `bin/configure`, and for how long it waits for its lock. */
const folder = '/opt/drover/bin';
const patienceMs = 1_200_000;
const pauseMs = 1_000;

/** As `bin/configure` does: one run at a time, and none while the node is upgraded, except the one that the upgrade starts. */
export async function lockConfiguration(context: ProcessContext): Promise<boolean> {
  const { clock, env } = context;
  if (env[versionVariable] !== undefined) return true;
  const deadlineAt = clock.now() + patienceMs;
  while (context.lock(folder) !== undefined) {
    if (clock.now() >= deadlineAt) return false;
    await clock.sleep(pauseMs);
  }
  return true;
}

export const lockedMessage = 'another run, or the upgrade of this node, is under way; nothing was changed';
