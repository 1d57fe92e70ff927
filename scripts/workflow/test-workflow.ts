/**
 * `npm run test:workflow -- check npm-test-docs node-22`: plays jobs of the workflow CI, each in a fresh root of Debian 12 as the image
 * debian:12 has it, with the last commit checked out; all of them without a name. `-- --list` names them, `-- --slower 3` gives lanes
 * three times as long, for a machine that does other work too. Needs root and mmdebstrap.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../build/version.ts';
import { nodeFolder } from '../node/nodes.ts';
import { jobsOf, type NamedJob } from './jobs.ts';

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'drover/workflow');
const workspace = '/__w/drover/drover';

/** How this machine reaches registries: a root has no settings of its own. */
const settings = ['/etc/resolv.conf', '/etc/hosts', '/etc/pip.conf', '/etc/ssl/certs/ca-certificates.crt'];
/** Downloads only, by their paths here and in the root: a job of GitHub fetches them, which takes longer and gives the same. */
const shared: readonly (readonly [string, string])[] = [
  [join(homedir(), '.npmrc'), '/root/.npmrc'],
  [join(homedir(), '.npm'), '/root/.npm'],
  [join(cache, 'apt'), '/var/cache/apt/archives'],
];
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

type Outcome = readonly ['passed' | 'failed' | 'skipped', string];

/** Failed with the line of the first command that fails; skipped with the reason of a lane that says that it cannot run here. */
function play({ name, image, acts }: NamedJob): Outcome {
  mkdirSync(join(cache, 'apt/partial'), { recursive: true });
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
        if (status !== 0) return ['failed', `${act.line.trim()} ended with ${status}`];
      }
    }
    return laneOutcome(name, join(fresh, workspace, '.cache'));
  } finally {
    // Many files: Node takes minutes for them.
    execFileSync('rm', ['-rf', '--one-file-system', fresh]);
  }
}

/** A lane that ends with 3 has printed why it cannot run, and counts as passed for `.ci/run`. */
function laneOutcome(name: string, logs: string): Outcome {
  const lanes = join(logs, 'lanes.txt');
  if (!existsSync(lanes) || !readFileSync(lanes, 'utf8').startsWith(`${name} ended with 3 `)) return ['passed', ''];
  const said = readFileSync(join(logs, `${name}.log`), 'utf8')
    .trim()
    .split('\n');
  // The line of counts comes after it.
  return ['skipped', said.findLast((line) => !/^\d+ passed, /.test(line)) ?? 'no reason was printed'];
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
    // A privileged container has its control groups, on which machines rest.
    `{ mount -t cgroup2 cgroup2 ${fresh}/sys/fs/cgroup || true; }`,
    ...shared
      .filter(([from]) => existsSync(from))
      .map(([from, to]) => [from, join(fresh, to)])
      .map(
        ([from, to]) =>
          `mkdir -p ${dirname(to!)} && { [ -d ${from} ] && mkdir -p ${to} || touch ${to}; } && mount --bind ${from} ${to}`,
      ),
  ];
  const kept = Object.entries(process.env).filter(([name]) => passedOn.test(name));
  const env = [
    ...kept,
    ['PATH', path],
    ['HOME', '/root'],
    ['CI', 'true'],
    ['GITHUB_WORKSPACE', workspace],
    ['DROVER_SLOWER', values.slower],
  ];
  const given = env.map(([name, value]) => `${name}=${value}`);
  // As in a container: in a mere chroot the kernel allows no user namespaces.
  const pivot = `cd ${fresh} && mkdir -p before && pivot_root . before && umount -l before`;
  const script = `mount --rbind ${fresh} ${fresh} && ${mounts.join(' && ')} && ${pivot} && exec /usr/bin/env -i "$@" sh -c 'cd ${workspace} && exec sh -e /step.sh'`;
  console.log(`-- ${line.trim()}`);
  const unshare = ['--mount', '--pid', '--fork', '--kill-child', '/bin/sh', '-ec', script, 'sh', ...given];
  return spawnSync('unshare', unshare, { stdio: 'inherit' }).status ?? 1;
}

const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean' }, slower: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const jobs = jobsOf(readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8'));
const names = jobs.map(({ name }) => name);
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) throw new Error(`there is no job ${unknown.join(', ')}; there are ${names.join(', ')}`);
if (values.list) console.log(names.join('\n'));
else playAll(jobs.filter(({ name }) => positionals.length === 0 || positionals.includes(name)));

function playAll(wanted: readonly NamedJob[]): void {
  const outcomes = wanted.map((job) => {
    const startedAt = performance.now();
    const [outcome, reason] = play(job);
    console.log(`${job.name}: ${outcome} ${reason}`);
    return [outcome, `${job.name} after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`, reason] as const;
  });
  const count = (wantedOutcome: string) => outcomes.filter(([outcome]) => outcome === wantedOutcome).length;
  for (const [outcome, what, reason] of outcomes)
    console.log(`${outcome} ${what}${reason === '' ? '' : `: ${reason}`}`);
  console.log(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
  process.exitCode = count('failed') > 0 ? 1 : 0;
}
