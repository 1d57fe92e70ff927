/**
 * fetch-node ARCHITECTURE: prints the path of the pinned Node's archive, fetched from the configured npm registry if it is
 * not here yet, and checked. CDK runs this when it publishes the asset, and only if the bucket lacks it (docs/decisions/0004).
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const { version, archives } = JSON.parse(readFileSync(new URL('node-runtime.json', import.meta.url), 'utf8'));
const architecture = process.argv[2] ?? '';
const pin = archives[architecture];
if (pin === undefined)
  fail(`no Node for ${JSON.stringify(architecture)}; allowed: ${Object.keys(archives).join(', ')}`);

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'drover');
const archive = join(cache, `${pin.package}-${version}.tgz`);
if (!existsSync(archive) || digest(archive) !== pin.integrity) fetchArchive();
process.stdout.write(`${archive}\n`);

function fetchArchive() {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'fetch-'));
  try {
    const options = ['--pack-destination', folder, '--loglevel', 'error', '--ignore-scripts'];
    execFileSync('npm', ['pack', `${pin.package}@${version}`, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
    const fetched = join(folder, readdirSync(folder)[0] ?? '');
    const found = digest(fetched);
    if (found !== pin.integrity) fail(`${pin.package}@${version} is ${found}, expected is ${pin.integrity}`);
    renameSync(fetched, archive);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function digest(file) {
  return `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
}

function fail(message) {
  process.stderr.write(`fetch-node: ${message}\n`);
  process.exit(1);
}
