import { TerminalError } from '@drover/core';
import type { ScalingMode } from '@drover/core/names/runner-fleet';

/** The options of `drover local`. */
export interface LocalOptions {
  /** Simulated seconds a second. */
  readonly speed: number;
  readonly seed: string;
  /** The console; AWS, GitHub and search follow. */
  readonly portBase: number;
  readonly consolePort?: number;
  readonly awsPort?: number;
  readonly platformPort?: number;
  readonly searchPort: number;
  readonly jobsPerHour: number;
  /** On what the fleet scales. @default that of the last session, or idle */
  readonly mode?: ScalingMode;
  /** Runners on spot instances, above one on demand. */
  readonly spot: boolean;
  /** The example's fleet with further types, in jobs mode. */
  readonly types: boolean;
  /** Files with the inputs of a fleet and a cluster, instead of the example's. */
  readonly fleet?: string;
  readonly cluster?: string;
  /** Cloud assembly to deploy instead of the example. */
  readonly assembly?: string;
  /** Folder of the session. */
  readonly state: string;
  readonly reset: boolean;
  readonly once: boolean;
  /** Prints this file and does nothing else. */
  readonly printExample?: 'fleet' | 'cluster';
}

export interface Ports {
  readonly console: number;
  readonly aws: number;
  readonly platform: number;
  readonly search: number;
}

export const portsOf = (options: LocalOptions): Ports => ({
  console: options.consolePort ?? options.portBase,
  aws: options.awsPort ?? options.portBase + 1,
  platform: options.platformPort ?? options.portBase + 2,
  search: options.searchPort,
});

/** Refuses a Node that is older than the one everything is tested with. */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new TerminalError(`Node ${version} is too old`, { remedy: 'use Node 20.19 or newer' });
}
