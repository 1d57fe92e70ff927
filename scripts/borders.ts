/**
 * Checks who imports whom: borders between packages, circles (type imports included), `export *`, and packages that expose every file; and
 * that no folder has become a heap. It also checks itself: a violation of each kind is planted, and each must be found.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { importGraph, packageFolders } from './import-graph.ts';

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
    found: ['packages/runner-fleet imports only its neighbours', 'packages/runner-fleet uses only its npm packages'],
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
  'cloud/elasticsearch/src/engine/planted-http.ts': {
    text: "export { routes } from '../http/routes/all-routes.ts';\n",
    found: ['the Elasticsearch engine knows nothing of HTTP'],
  },
} as const satisfies Record<string, { text: string; found: readonly string[] }>;

function selfTest(): number {
  try {
    for (const [file, { text }] of Object.entries(planted)) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const reports = [
      ...importGraph(['packages/runner-fleet', 'apps/drover', 'cloud/elasticsearch']).summary.violations.map(
        ({ from, rule }) => `${rule.name}: ${from}`,
      ),
      ...wideExports(),
      ...heaps(),
    ];
    const missed = Object.entries(planted).flatMap(([file, { found }]) =>
      found.filter((name) => !reports.includes(`${name}: ${file}`)).map((name) => `${name}: ${file}`),
    );
    if (missed.length > 0) throw new Error(`the border check is blind; it did not find\n${missed.join('\n')}`);
    return Object.values(planted).flatMap(({ found }) => found).length;
  } finally {
    for (const file of Object.keys(planted)) rmSync(file, { force: true });
  }
}

const plantedFound = selfTest();
const { totalCruised, violations } = importGraph(packageFolders).summary;
if (totalCruised === 0) throw new Error('the border check cruised 0 modules');
const wide = [...wideExports(), ...heaps()];
for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} -> ${to}`);
for (const line of wide) console.error(line);
if (violations.length + wide.length > 0) process.exit(1);
console.log(`borders: ${totalCruised} modules, no violation (${plantedFound} planted ones were found)`);
