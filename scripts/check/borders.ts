/**
 * Checks who imports whom: borders between packages and floors, circles (type imports included), `export *`, and packages that expose
 * every file; that no folder has become a heap, and that no package has outgrown its ceiling of lines. It also checks itself: a violation
 * of each kind is planted, and each must be found.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { aboveCeilings, ceilings, fileLines } from './ceilings.ts';
import { importGraph, packageFolders } from './import-graph.ts';
import { digest, lastGreen, noteGreen } from './last-green.ts';

const allFiles = () =>
  [...packageFolders, 'scripts', 'bench'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => !/(^|\/)(node_modules|dist|cdk\.out|fixtures)\//.test(name))
      .map((name) => `${folder}/${name}`),
  );

const mostFilesInAFolder = 15;

/** A folder with too many source files, and names that say nothing. */
function heaps(): string[] {
  const sources = allFiles().filter((file) => /\.tsx?$/.test(file) && !/(\.test\.tsx?|test-support\.ts)$/.test(file));
  const counts = new Map<string, number>();
  for (const file of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [
    ...[...counts]
      .filter(([, count]) => count > mostFilesInAFolder)
      .map(([folder]) => `too many source files: ${folder}`),
    ...sources
      .filter((file) =>
        file.split(/[/.-]/).some((word) => ['odds', 'siblings', 'lean', 'bare', 'late', 'utils'].includes(word)),
      )
      .map((file) => `name that says nothing: ${file}`),
  ];
}

/** `export *` hides what a module offers, and a wildcard in `exports` makes every file of a package public. */
function wideExports(): string[] {
  const files = allFiles();
  const stars = files
    .filter((file) => /\.tsx?$/.test(file) && /^export (type )?\*/m.test(readFileSync(file, 'utf8')))
    .map((file) => `export *: ${file}`);
  const wildcards = files
    .filter((file) => /^[a-z]+\/[^/]+\/package\.json$/.test(file))
    .filter((file) => {
      const { exports = {} } = JSON.parse(readFileSync(file, 'utf8')) as { exports?: Record<string, string> };
      return Object.keys(exports).some((key) => key.includes('*'));
    })
    .map((file) => `wildcard in exports: ${file}`);
  return [...stars, ...wildcards];
}

/** One file for each kind of violation, and the text that its report must contain. */
const planted = {
  'packages/runner-fleet/src/planted-imports.ts': {
    text: "export { World } from '@drover/cloud-world';\nexport { S3Client } from '@aws-sdk/client-s3';\n",
    found: [
      'packages/runner-fleet imports only its neighbours',
      'packages/runner-fleet uses only its npm packages',
      'the floor product imports nothing above it',
    ],
  },
  'packages/runner-fleet/src/planted-circle-a.ts': {
    text: "import type { B } from './planted-circle-b.ts';\nexport interface A {\n  b: B;\n}\n",
    found: ['no circles'],
  },
  'packages/runner-fleet/src/planted-circle-b.ts': {
    text: "import type { A } from './planted-circle-a.ts';\nexport interface B {\n  a: A;\n}\n",
    found: [], // A circle is reported once, where it is entered first.
  },
  'packages/runner-fleet/src/planted-star.ts': {
    text: "export * from './ports.ts';\n",
    found: ['export *'],
  },
  'packages/runner-fleet/src/planted-utils.ts': {
    text: 'export const nothing = undefined;\n',
    found: ['name that says nothing'],
  },
  'apps/drover/src/planted-app.ts': {
    text: "export { handler } from '../../functions/src/registration/handler.ts';\n",
    found: ['apps/drover imports only its neighbours'],
  },
  'packages/operator/src/planted-floor.ts': {
    text: "export { runLocal } from '@drover/local';\n",
    found: ['the floor product imports nothing above it'],
  },
  'cloud/world/src/planted-floor.ts': {
    text: "export { FleetStage } from '@drover/stage/fleet';\n",
    found: ['the floor cloud imports nothing above it'],
  },
  'packages/local/src/planted-floor.ts': {
    text: "export { fleetDay } from '@drover/simulation/fleet-day';\n",
    found: ['the floor laptop imports nothing above it'],
  },
  'packages/simulation/src/planted-floor.ts': {
    text: "export { main } from '@drover/drover';\n",
    found: ['the floor quality imports nothing above it'],
  },
  'cloud/elasticsearch/src/engine/planted-http.ts': {
    text: "export { routes } from '../http/routes/all-routes.ts';\n",
    found: ['the Elasticsearch engine knows nothing of HTTP'],
  },
} as const satisfies Record<string, { text: string; found: readonly string[] }>;

interface Report {
  readonly file: string;
  readonly text: string;
}

/** Everything that is wrong, the planted violations included: one reading of the tree finds both. */
function reports(): { readonly modules: number; readonly found: readonly Report[] } {
  const { totalCruised, violations } = importGraph(packageFolders).summary;
  if (totalCruised === 0) throw new Error('the border check cruised 0 modules');
  return {
    modules: totalCruised,
    found: [
      ...violations.map(({ rule, from, to }) => ({ file: from, text: `${rule.name}: ${from} -> ${to}` })),
      ...[...wideExports(), ...heaps()].map((text) => ({ file: text.slice(text.lastIndexOf(': ') + 2), text })),
    ],
  };
}

function withPlanted<T>(read: () => T): T {
  try {
    for (const [file, { text }] of Object.entries(planted)) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return read();
  } finally {
    for (const file of Object.keys(planted)) rmSync(file, { force: true });
  }
}

/** Everything that the result depends on: the files there are, what each imports and exports, and the rules. */
function structure(): string {
  const lines = allFiles()
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => [
      file,
      ...(readFileSync(file, 'utf8').match(/^(import|export|\} from)\b.*|.*\bimport\(.*/gm) ?? []),
    ]);
  const rules = [
    '.dependency-cruiser.cjs',
    'scripts/lines/floors.json',
    'scripts/check/borders.ts',
    'scripts/check/import-graph.ts',
    'package-lock.json',
  ];
  return digest(JSON.stringify([lines, rules.map((file) => readFileSync(file, 'utf8'))]));
}

const outgrown = aboveCeilings(fileLines(allFiles()), ceilings());
for (const text of outgrown) console.error(text);
if (outgrown.length > 0) process.exit(1);

const now = structure();
if (lastGreen('borders').structure === now) {
  console.log('borders: no import, export or file has changed since the last run that passed');
  process.exit(0);
}

const { modules, found } = withPlanted(reports);
const expected = Object.entries(planted).flatMap(([file, kinds]) => kinds.found.map((name) => `${name}: ${file}`));
const missed = expected.filter((text) => !found.some((report) => `${report.text} `.startsWith(`${text} `)));
if (missed.length > 0) throw new Error(`the border check is blind; it did not find\n${missed.join('\n')}`);

const violations = found.filter(({ file }) => !Object.hasOwn(planted, file));
for (const { text } of violations) console.error(text);
if (violations.length > 0) process.exit(1);
const count = modules - Object.keys(planted).length;
console.log(`borders: ${count} modules, no violation (${expected.length} planted ones were found)`);
noteGreen('borders', { structure: now });
