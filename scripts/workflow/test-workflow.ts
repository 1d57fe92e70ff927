/**
 * `npm run test:workflow -- check npm-test-docs node-22`: plays jobs of the workflow CI, each in a fresh root of Debian 12 as the image
 * debian:12 has it, with the last commit checked out. Without a name it lists them. Needs root and mmdebstrap.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../build/version.ts';
import { nodeFolder } from '../node/nodes.ts';
import { jobsOf, type NamedJob } from './jobs.ts';

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'drover/workflow');
const workspace = '/__w/drover/drover';

/** How this machine reaches registries: a root has no settings of its own. */
const settings = ['/etc/resolv.conf', '/etc/hosts', '/etc/pip.conf', '/etc/ssl/certs/ca-certificates.crt'];
const shared = [join(homedir(), '.npmrc'), join(homedir(), '.npm')];
const passedOn = /proxy|^SSL_|^PIP_(CERT|INDEX)|CA_(CERTS|BUNDLE|FILE)|CAINFO|^LANG$/i;

function debianRoot(image: string): string {
  if (image !== 'debian:12') throw new Error(`${image} cannot be made here`);
  const folder = join(cache, 'debian-12');
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const making = mkdtempSync(join(cache, 'making-'));
  execFileSync('mmdebstrap', ['--variant=minbase', '--quiet', 'bookworm', join(making, 'root')], { stdio: 'inherit' });
  renameSync(join(making, 'root'), folder);
  rmSync(making, { recursive: true });
  return folder;
}

/** The exit code of the first command that fails, with its line; nothing if none does. */
function play({ image, acts }: NamedJob): string | undefined {
  mkdirSync(cache, { recursive: true });
  const base = debianRoot(image);
  const fresh = mkdtempSync(join(cache, 'job-'));
  try {
    execFileSync('cp', ['-a', `${base}/.`, fresh]);
    for (const file of settings.filter(existsSync)) {
      mkdirSync(dirname(join(fresh, file)), { recursive: true });
      cpSync(file, join(fresh, file));
    }
    const extra = '/usr/local/share/ca-certificates';
    if (existsSync(extra)) cpSync(extra, join(fresh, extra), { recursive: true });
    mkdirSync(join(fresh, workspace), { recursive: true });
    const path = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
    for (const act of acts) {
      if (act.kind === 'node') path.unshift(installNode(fresh, act.major));
      else if (act.kind === 'checkout')
        execFileSync('git', ['clone', '--quiet', root, join(fresh, workspace)], { stdio: 'inherit' });
      else {
        const status = inRoot(fresh, path.join(':'), act.line);
        if (status !== 0) return `${act.line.trim()} ended with ${status}`;
      }
    }
    return undefined;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** As the action does: a version of Node with npm, first on the path. */
function installNode(fresh: string, major: string): string {
  const [bin, library] = [`/opt/node/bin`, '/opt/node/lib/node_modules/npm'];
  mkdirSync(join(fresh, bin), { recursive: true });
  cpSync(join(nodeFolder(major), 'node'), join(fresh, bin, 'node'));
  const npm = execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim();
  cpSync(join(npm, 'npm'), join(fresh, library), { recursive: true });
  for (const name of ['npm', 'npx']) {
    const file = join(fresh, bin, name);
    writeFileSync(file, `#!/bin/sh\nexec /opt/node/bin/node ${library}/bin/${name}-cli.js "$@"\n`, { mode: 0o755 });
  }
  return bin;
}

/** A step of a job in a container is a script of `sh -e`. Its namespaces end with it, and every process in them. */
function inRoot(fresh: string, path: string, line: string): number {
  writeFileSync(join(fresh, 'step.sh'), line);
  const mounts = [
    `mount --rbind /dev ${fresh}/dev && mount -t sysfs sysfs ${fresh}/sys && mount -t proc proc ${fresh}/proc`,
    ...shared.filter(existsSync).map((from) => {
      const to = join(fresh, 'root', from.slice(homedir().length));
      return `mkdir -p ${dirname(to)} && { [ -d ${from} ] && mkdir -p ${to} || touch ${to}; } && mount --bind ${from} ${to}`;
    }),
  ];
  const kept = Object.entries(process.env).filter(([name]) => passedOn.test(name));
  const env = [...kept, ['PATH', path], ['HOME', '/root'], ['CI', 'true'], ['GITHUB_WORKSPACE', workspace]];
  const given = env.map(([name, value]) => `${name}=${value}`);
  const script = `${mounts.join(' && ')} && cd ${fresh}${workspace} && exec chroot ${fresh} /usr/bin/env -i "$@" sh -c 'cd ${workspace} && exec sh -e /step.sh'`;
  console.log(`-- ${line.trim()}`);
  const unshare = ['--mount', '--pid', '--fork', '--kill-child', '/bin/sh', '-ec', script, 'sh', ...given];
  return spawnSync('unshare', unshare, { stdio: 'inherit' }).status ?? 1;
}

const jobs = jobsOf(readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8'));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !jobs.some((job) => job.name === name));
if (wanted.length === 0 || unknown.length > 0)
  throw new Error(`name jobs of: ${jobs.map(({ name }) => name).join(', ')}`);
const lines = wanted.map((name) => {
  const startedAt = performance.now();
  const problem = play(jobs.find((job) => job.name === name)!);
  const took = ((performance.now() - startedAt) / 1000).toFixed(0);
  return `${problem === undefined ? 'passed' : 'failed'} ${name} after ${took} s${problem === undefined ? '' : `: ${problem}`}`;
});
console.log(lines.join('\n'));
const failed = lines.filter((line) => line.startsWith('failed')).length;
console.log(`${lines.length - failed} passed, ${failed} failed, 0 skipped`);
process.exitCode = failed > 0 ? 1 : 0;
