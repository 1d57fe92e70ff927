import { execFileSync } from 'node:child_process';

/** dependency-cruiser's result for the modules in some folders, with the rules of this repository. */
export interface ImportGraph {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string }[];
  }[];
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
    }[];
  };
}

/** Every folder that holds packages. */
export const packageFolders = ['cloud', 'packages', 'apps', 'examples'];

/** Reads who imports whom. Violations are part of the result. */
export function importGraph(paths: readonly string[]): ImportGraph {
  const command = 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs';
  const args = [command, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...paths];
  try {
    const output = execFileSync(process.execPath, args, {
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return JSON.parse(output) as ImportGraph;
  } catch (error) {
    // It ends with the number of violations.
    return JSON.parse((error as { stdout: string }).stdout) as ImportGraph;
  }
}
