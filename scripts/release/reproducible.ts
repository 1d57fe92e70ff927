/**
 * `npm run test:reproducible`: makes the release of the last commit in two clones, one on the oldest Node with umask 022 and one on the
 * newest with umask 077, and compares the checksums. `-- --all` tries all four combinations, `-- --against SHA256SUMS` compares with a
 * release that was made before, too.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, version } from '../build/version.ts';
import { nodeFolder, nodes } from '../node/nodes.ts';
import { cleanEnvironment } from './installed-folder.ts';

interface Build {
  readonly node: string;
  readonly umask: '022' | '077';
}

/** A commit that is made meanwhile is not compared. */
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();

const named = ({ node, umask }: Build) => `Node ${node}, umask ${umask}`;

const sumsIn = (file: string): ReadonlyMap<string, string> =>
  new Map(
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );

/** The checksum of each file of the release. */
function checksums(build: Build): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-release-'));
  const environment = cleanEnvironment();
  // It is in the manifests, and so in the checksums of a release that the workflow made.
  const repository =
    process.env.DROVER_REPOSITORY === undefined ? {} : { DROVER_REPOSITORY: process.env.DROVER_REPOSITORY };
  const env = { ...environment, ...repository, PATH: `${nodeFolder(build.node)}:${environment.PATH}` };
  const line = `umask ${build.umask}; node --version; git clone --quiet ${root} . && git checkout --quiet ${commit}
    npm ci --prefer-offline --no-audit --no-fund; npm run --silent release`;
  try {
    const { status } = spawnSync('/bin/sh', ['-ec', line], { cwd: folder, env, stdio: 'inherit' });
    if (status !== 0) throw new Error(`${named(build)}: npm run release ended with ${status}`);
    return sumsIn(join(folder, 'release', version, 'SHA256SUMS'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [oldest, newest] = [nodes[0]!, nodes.at(-1)!];
const two: readonly Build[] = [
  { node: oldest, umask: '022' },
  { node: newest, umask: '077' },
];
const others: readonly Build[] = [
  { node: oldest, umask: '077' },
  { node: newest, umask: '022' },
];
const { values } = parseArgs({ options: { all: { type: 'boolean' }, against: { type: 'string' } } });
const builds = values.all ? [...two, ...others] : two;
const found = [
  ...(values.against === undefined ? [] : [[values.against, sumsIn(values.against)] as const]),
  ...builds.map((build) => [named(build), checksums(build)] as const),
];
const files = [...new Set(found.flatMap(([, sums]) => [...sums.keys()]))].sort();
const differing = files.filter((file) => new Set(found.map(([, sums]) => sums.get(file))).size > 1);
for (const file of files) {
  console.log(`${differing.includes(file) ? 'DIFFERS' : 'same   '} ${file}`);
  if (differing.includes(file)) for (const [name, sums] of found) console.log(`        ${sums.get(file)} ${name}`);
}
console.log(`compared: ${found.map(([name]) => name).join('; ')}`);
console.log(`${files.length - differing.length} passed, ${differing.length} failed, 0 skipped`);
process.exitCode = differing.length > 0 ? 1 : 0;
