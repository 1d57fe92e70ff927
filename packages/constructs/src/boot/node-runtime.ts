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

/** The Node that runs our programs on instances: its archive's checksum, and the command that brings the archive. */
export function nodeRuntime(architecture: Architecture): { readonly checksum: string; readonly command: string[] } {
  const pins = JSON.parse(readFileSync(fileHere('node-runtime.json'), 'utf8')) as Pins;
  const { sha256 } = pins.archives[architecture];
  return { checksum: sha256, command: [process.execPath, fileHere('fetch-node.mjs'), architecture] };
}
