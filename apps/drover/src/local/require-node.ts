import { TerminalError } from '@drover/core';

/** Refuses a Node that is older than the one everything is tested with. */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new TerminalError(`Node ${version} is too old`, { remedy: 'use Node 20.19 or newer' });
}
