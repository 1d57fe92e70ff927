import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Architecture = 'x86_64' | 'arm64';

interface Pins {
  readonly version: string;
  readonly archives: Readonly<
    Record<Architecture, { readonly package: string; readonly integrity: string; readonly sha256: string }>
  >;
}

const fileHere = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export interface NodeRuntime {
  readonly displayName: string;
  readonly checksum: string;
  /** Brings the archive and prints its path. */
  readonly command: readonly string[];
}

/** The Node that runs our programs on instances. */
export function nodeRuntime(architecture: Architecture): NodeRuntime {
  const pins = JSON.parse(readFileSync(fileHere('node-runtime.json'), 'utf8')) as Pins;
  return {
    displayName: `Node ${pins.version} for ${architecture}`,
    checksum: pins.archives[architecture].sha256,
    command: [process.execPath, fileHere('fetch-node.mjs'), architecture],
  };
}
