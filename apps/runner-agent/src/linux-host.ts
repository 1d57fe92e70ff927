import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '@drover/core';
import { labels, runnerService } from '@drover/core/names/runner-fleet';
import type { ConfigureOutcome, RunnerHost } from '@drover/runner-fleet';
import type { AgentConfig } from './config.ts';
import { drainOrderFile, parseOrder } from './drain-order.ts';
import { Hints } from './hints.ts';

const run = promisify(execFile);
/** How often the process table is read: a job starts and ends no faster than this matters. */
const lookEveryMs = 1_000;
const leastFreeBytes = 1024 ** 3;

/** A runner instance's Linux: systemd, the process table, the runner's own scripts. */
export function linuxHost(config: AgentConfig, clock: Clock, hints = new Hints(clock)): RunnerHost {
  return {
    workers: countWorkers,
    isConfigured: () => existsSync(join(config.runnerDirectory, '.runner')),
    configureRunner: (registration) => configure(config, registration),
    // Asked, not remembered: a listener whose runner the platform has forgotten ends by itself.
    serviceActive: () => spawnSync('systemctl', ['is-active', '--quiet', runnerService]).status === 0,
    async startService() {
      await run('systemctl', ['start', runnerService]);
    },
    async stopService() {
      await run('systemctl', ['kill', '--signal=SIGINT', '--kill-whom=main', runnerService]).catch(() => {});
      await run('systemctl', ['stop', runnerService]);
    },
    silence: (on) => silence(config.runnerUser, on),
    silenced: () => existsSync(silencedFile),
    drainOrder: () => parseOrder(existsSync(drainOrderFile) ? readFileSync(drainOrderFile, 'utf8') : undefined),
    async waitForChange(mostMs) {
      const before = fingerprint();
      const until = clock.now() + mostMs;
      for (let left = mostMs; left > 0; left = until - clock.now()) {
        await hints.wait(Math.min(lookEveryMs, left));
        if (fingerprint() !== before) return;
      }
    },
  };
}

/** In a folder that a boot empties, as it does the rules. */
const silencedFile = '/run/runner-agent/silenced';

/** The mark comes first and goes last: an agent that dies in between finds it and does it again. */
async function silence(user: string, on: boolean): Promise<void> {
  if (on) leaveFile(silencedFile, '');
  const rules = run('nft', ['--file', '-']);
  rules.child.stdin?.end(on ? silenceRules(user) : noSilenceRules);
  await rules;
  if (!on) rmSync(silencedFile, { force: true });
}

/** Replaced as a whole, so that doing it twice is doing it once. */
const noSilenceRules = 'table inet drover_drain\ndelete table inet drover_drain\n';

/** Nothing of the runner leaves the machine: a job that reaches its listener cannot be accepted. */
export const silenceRules = (user: string): string => `${noSilenceRules}table inet drover_drain {
  chain output {
    type filter hook output priority filter; policy accept;
    meta skuid "${user}" counter reject
  }
}
`;

const fingerprint = () => `${countWorkers()}/${existsSync(drainOrderFile) ? readFileSync(drainOrderFile, 'utf8') : ''}`;

/** `Runner.Worker` in the process table; the name is longer than what /proc/<pid>/comm keeps, so the command line is read. */
export function countWorkers(proc = '/proc'): number {
  return readdirSync(proc).filter((entry) => /^\d+$/.test(entry) && isWorker(join(proc, entry, 'cmdline'))).length;
}

function isWorker(file: string): boolean {
  try {
    const [program = ''] = readFileSync(file, 'utf8').split('\0');
    return program.endsWith('/Runner.Worker');
  } catch {
    return false;
  }
}

type Registration = Parameters<RunnerHost['configureRunner']>[0];

/** The token goes in by standard input, never by an argument that `ps` would show. */
async function configure(config: AgentConfig, registration: Registration): Promise<ConfigureOutcome> {
  const unfit = whyUnfit(config);
  if (unfit !== undefined) return { kind: 'host-failed', message: unfit };
  const script = 'read -r ACTIONS_RUNNER_INPUT_TOKEN; export ACTIONS_RUNNER_INPUT_TOKEN; exec ./config.sh "$@"';
  const args = [
    '-u',
    config.runnerUser,
    '--',
    'bash',
    '-c',
    script,
    'config.sh',
    ...configArguments(config, registration),
  ];
  const child = run('runuser', args, { cwd: config.runnerDirectory, timeout: 120_000 });
  child.child.stdin?.end(`${registration.token.reveal()}\n`);
  try {
    await child;
    return { kind: 'configured' };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const said = `${stdout}\n${stderr}`
      .trim()
      .split('\n')
      .slice(-3)
      .join(' ')
      .replaceAll(registration.token.reveal(), '[secret]');
    return { kind: 'platform-failed', message: said };
  }
}

/** The usual labels are given as custom ones: those that the platform gives cannot be taken away when the runner drains. */
export function configArguments(
  config: Pick<AgentConfig, 'platformUrl' | 'runnerGroup'>,
  registration: Pick<Registration, 'name' | 'labels'>,
  architecture: string = process.arch,
): string[] {
  const group = config.runnerGroup === undefined ? [] : ['--runnergroup', config.runnerGroup];
  const allLabels = [...labels.usual(architecture), ...registration.labels];
  return [
    '--unattended',
    '--replace',
    '--disableupdate',
    '--no-default-labels',
    '--url',
    config.platformUrl,
    '--name',
    registration.name,
    ...group,
    '--labels',
    allLabels.join(','),
  ];
}

function whyUnfit(config: AgentConfig): string | undefined {
  if (!existsSync(join(config.runnerDirectory, 'config.sh')))
    return `${config.runnerDirectory}/config.sh does not exist`;
  const disk = statfsSync(config.runnerDirectory);
  const freeBytes = disk.bavail * disk.bsize;
  return freeBytes < leastFreeBytes ? `only ${Math.round(freeBytes / 1024 ** 2)} MiB are free on its disk` : undefined;
}

/** Writes a file for the running agent. */
export function leaveFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, text, { mode: 0o600 });
}
