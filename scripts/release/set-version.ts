/** `npm run set-version -- 0.2.0` sets the version in every place that has it, and writes again what is made from these. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Files in which the version is a literal, and the text before it. */
const literals: Readonly<Record<string, string>> = {
  'packages/core/src/names/version.ts': "moduleVersion = '",
  'examples/local/local-stack.ts': "version: '",
  'packages/constructs/src/search-ui/search-ui.ts': "version: '",
  'packages/constructs/test/tsdoc-examples.test.ts': "version: '",
  'docs/COMPARISON.md': '| Drover itself | ',
  'docs/how-to/install.md': 'drover/release/',
};

type Dependencies = Record<string, string>;
interface Manifest {
  version?: string;
  dependencies?: Dependencies;
  devDependencies?: Dependencies;
  peerDependencies?: Dependencies;
}

const ours = /^@drover\//;
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** The versions that a place has; with `next` it gets that one. */
type Visit = (next?: string) => readonly string[];

function manifest(content: Manifest, next: string | undefined): string[] {
  const found = [content.version ?? 'none'];
  if (next !== undefined) content.version = next;
  for (const group of [content.dependencies, content.devDependencies, content.peerDependencies])
    for (const name of Object.keys(group ?? {}).filter((key) => ours.test(key))) {
      found.push(group![name]!);
      if (next !== undefined) group![name] = next;
    }
  return found;
}

function json<T>(file: string, visit: (content: T, next: string | undefined) => string[]): Visit {
  return (next) => {
    const content = JSON.parse(read(file)) as T;
    const found = visit(content, next);
    if (next !== undefined) writeFileSync(join(root, file), `${JSON.stringify(content, undefined, 2)}\n`);
    return found;
  };
}

function literal(file: string, before: string): Visit {
  return (next) => {
    const [head, rest = '', ...more] = read(file).split(before);
    if (more.length > 0) throw new Error(`${file} has ${before} more than once`);
    const [found = 'none'] = /^\d+\.\d+\.\d+(-[a-z]+)?/.exec(rest) ?? [];
    if (next !== undefined) writeFileSync(join(root, file), `${head}${before}${next}${rest.slice(found.length)}`);
    return [found];
  };
}

interface Lock extends Manifest {
  packages: Record<string, Manifest>;
}

function lock(content: Lock, next: string | undefined): string[] {
  const workspaces = Object.entries(content.packages).filter(([path]) => !path.includes('node_modules/'));
  return [...manifest(content, next), ...workspaces.flatMap(([, workspace]) => manifest(workspace, next))];
}

/** Every place that has the version, by its file. */
export function versionPlaces(): ReadonlyMap<string, Visit> {
  const { workspaces } = JSON.parse(read('package.json')) as { readonly workspaces: readonly string[] };
  const manifests = ['package.json', ...workspaces.flatMap(manifestsOf)];
  return new Map([
    ...manifests.map((file) => [file, json(file, manifest)] as const),
    ['package-lock.json', json('package-lock.json', lock)],
    ...Object.entries(literals).map(([file, before]) => [file, literal(file, before)] as const),
  ]);
}

/** Those of the workspaces that a pattern `folder/*` means. */
function manifestsOf(pattern: string): string[] {
  const parent = pattern.replace(/\/\*$/, '');
  const files = readdirSync(join(root, parent)).map((name) => `${parent}/${name}/package.json`);
  return files.filter((file) => existsSync(join(root, file)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , next = ''] = process.argv;
  if (!/^\d+\.\d+\.\d+(-[a-z]+)?$/.test(next)) throw new Error('npm run set-version -- 0.2.0');
  for (const visit of versionPlaces().values()) visit(next);
  const run = (...args: string[]) => execFileSync('npx', args, { cwd: root, stdio: 'inherit' });
  for (const page of ['configuration', 'constructs']) run('tsx', `scripts/docs/${page}.ts`);
  run('tsx', 'scripts/build.ts');
  const snapshots = ['synth', 'search-synth'].map((name) => `packages/constructs/test/${name}.test.ts`);
  run('vitest', 'run', ...snapshots, '-u');
  run('tsx', 'scripts/asked/coverage.ts');
}
