import { readFileSync } from 'node:fs';
import { bootSource } from '../programs.ts';

export type Architecture = 'x86_64' | 'arm64';

interface Pins {
  readonly version: string;
  readonly archives: Readonly<
    Record<Architecture, { readonly package: string; readonly integrity: string; readonly sha256: string }>
  >;
}

export interface NodeRuntime {
  readonly displayName: string;
  readonly checksum: string;
  /** Brings the archive and prints its path. */
  readonly command: readonly string[];
}

/** The Node that runs our programs on instances. */
export function nodeRuntime(architecture: Architecture): NodeRuntime {
  const pins = JSON.parse(readFileSync(bootSource('node-runtime.json'), 'utf8')) as Pins;
  return {
    displayName: `Node ${pins.version} for ${architecture}`,
    checksum: pins.archives[architecture].sha256,
    command: [process.execPath, bootSource('fetch-node.mjs'), architecture],
  };
}
