/** Checks who imports whom, and that the check itself works: it must see modules, and it must find a planted violation. */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';

interface Cruise {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
    }[];
  };
}

const planted = 'packages/runner-fleet/src/planted-violation.ts';

function cruise(folders: readonly string[]): Cruise['summary'] {
  const args = [
    'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    ...folders,
  ];
  const run = () =>
    execFileSync(process.execPath, args, {
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    return (JSON.parse(run()) as Cruise).summary;
  } catch (error) {
    return (JSON.parse((error as { stdout: string }).stdout) as Cruise).summary;
  }
}

function selfTest(): void {
  writeFileSync(
    planted,
    "export { World } from '@drover/cloud-world';\nexport { S3Client } from '@aws-sdk/client-s3';\n",
  );
  try {
    const found = cruise(['packages/runner-fleet']).violations.filter((violation) => violation.from === planted);
    if (found.length < 2)
      throw new Error(`the border check is blind: it found ${found.length} of 2 planted violations`);
  } finally {
    rmSync(planted);
  }
}

selfTest();
const { totalCruised, violations } = cruise(['cloud', 'packages', 'apps', 'examples']);
if (totalCruised === 0) throw new Error('the border check cruised 0 modules');
for (const violation of violations) console.error(`${violation.rule.name}: ${violation.from} -> ${violation.to}`);
if (violations.length > 0) process.exit(1);
console.log(`borders: ${totalCruised} modules, no violation (2 planted ones were found)`);
