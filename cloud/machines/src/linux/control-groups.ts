import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

/** The prefix of containers' control groups, by which those of a run that was killed are found. */
export const controlGroupPrefix = 'drover-machines-';

/** The control groups of version 2, whether they are the only ones or beside those of version 1. */
export function controlGroups(): string | undefined {
  return ['/sys/fs/cgroup/unified', '/sys/fs/cgroup'].find((root) => existsSync(join(root, 'cgroup.procs')));
}

/** With those below it, the deepest first. One that still has a process stays. */
export function removeControlGroup(group: string): void {
  if (!existsSync(group)) return;
  for (const entry of readdirSync(group, { withFileTypes: true }))
    if (entry.isDirectory()) removeControlGroup(join(group, entry.name));
  try {
    rmdirSync(group);
  } catch {}
}

/** Control groups of containers whose run was killed: those without a process. */
export function removeLeftovers(): void {
  const root = controlGroups();
  if (root === undefined) return;
  const left = readdirSync(root).filter((name) => name.startsWith(controlGroupPrefix));
  for (const name of left) removeControlGroup(join(root, name));
}
