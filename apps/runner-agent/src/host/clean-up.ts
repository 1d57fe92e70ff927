import { type Clock, dayMs } from '@drover/core';
import type { AgentConfig } from '../config.ts';
import type { Kernel } from './kernel.ts';

/** With less free space than this, clean-up begins. */
export const cleanUpBelowBytes = 5 * 1024 ** 3;
const oldLogMs = 2 * dayMs;
const dockerTimeoutMs = 120_000;
/** Folders of the runner itself in its work folder: only those of repositories are ours to remove. */
const kept = /^_/;

/**
 * Makes room between jobs. The runner's job-completed hook calls it, as the runner's user and before the runner takes another
 * job, so nothing is in use but the workspace of the job that ends; that goes last, if at all. What is spared: tools and
 * actions, which jobs need again. Returns what it removed.
 */
export async function cleanUp(
  kernel: Kernel,
  clock: Clock,
  { runnerDirectory }: Pick<AgentConfig, 'runnerDirectory'>,
): Promise<readonly string[]> {
  const removed: string[] = [];
  const enough = () => kernel.freeBytes(runnerDirectory) >= cleanUpBelowBytes;
  const remove = (path: string) => {
    kernel.remove(path);
    removed.push(path);
  };
  if (enough()) return removed;
  const work = `${runnerDirectory}/_work`;
  const logs = `${runnerDirectory}/_diag`;
  for (const { name, changedAt } of kernel.list(logs))
    if (name.endsWith('.log') && clock.now() - changedAt >= oldLogMs) remove(`${logs}/${name}`);
  if (enough()) return removed;
  const docker = await kernel.run({ file: 'docker', args: ['system', 'prune', '--force'], timeoutMs: dockerTimeoutMs });
  if (docker.exitCode === 0) removed.push('docker system prune');
  const repositories = kernel.list(work).filter(({ name }) => !kept.test(name));
  for (const { name } of [...repositories].sort((a, b) => a.changedAt - b.changedAt)) {
    if (enough()) return removed;
    remove(`${work}/${name}`);
  }
  return removed;
}
