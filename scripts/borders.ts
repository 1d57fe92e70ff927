/** Checks who imports whom, and that the check itself works: it must see modules, and it must find planted violations. */
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

/** Files that break a rule each, and how many violations they are. */
const planted = {
  'packages/runner-fleet': {
    'src/planted-violation.ts':
      "export { World } from '@drover/cloud-world';\nexport { S3Client } from '@aws-sdk/client-s3';\n",
  },
  'cloud/engine': {
    'src/planted-one.ts': "import type { Two } from './planted-two.ts';\nexport type One = Two | 1;\n",
    'src/planted-two.ts': "import type { One } from './planted-one.ts';\nexport type Two = One | 2;\n",
  },
};
/** Two imports across a border and one circle of types. */
const plantedViolations = 3;

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
  const files = Object.entries(planted).flatMap(([folder, texts]) =>
    Object.entries(texts).map(([name, text]) => [`${folder}/${name}`, text] as const),
  );
  for (const [file, text] of files) writeFileSync(file, text);
  try {
    const names = new Set<string>(files.map(([file]) => file));
    const found = cruise(Object.keys(planted)).violations.filter(({ from }) => names.has(from));
    if (found.length < plantedViolations)
      throw new Error(`the border check is blind: it found ${found.length} of ${plantedViolations} planted violations`);
  } finally {
    for (const [file] of files) rmSync(file);
  }
}

selfTest();
const { totalCruised, violations } = cruise(['cloud', 'packages', 'apps', 'examples']);
if (totalCruised === 0) throw new Error('the border check cruised 0 modules');
for (const violation of violations) console.error(`${violation.rule.name}: ${violation.from} -> ${violation.to}`);
if (violations.length > 0) process.exit(1);
console.log(`borders: ${totalCruised} modules, no violation (${plantedViolations} planted ones were found)`);
