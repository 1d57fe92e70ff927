import type { Secret } from '@drover/core';
import { usualLabels } from '@drover/core/names/runner-fleet';
import { type ConfigureOutcome, leastFreeBytes, type RunnerHost } from '@drover/runner-fleet';
import type { AgentConfig } from '../config.ts';
import type { CommandOutput, Kernel } from './kernel.ts';

export type Registration = Parameters<RunnerHost['configureRunner']>[0];

const configureTimeoutMs = 120_000;

/**
 * The files that `config.sh` leaves behind: each of them makes it refuse a second time (actions/runner,
 * `ConfigurationStore`).
 */
export const runnerFiles = (directory: string): string[] =>
  ['.runner', '.runner_migrated', '.credentials', '.credentials_migrated', '.credentials_rsaparams'].map(
    (name) => `${directory}/${name}`,
  );

/** Runs `config.sh`, or writes what a just-in-time configuration holds, after anything that it would refuse for: its `--replace` is for the platform's side only. */
export async function configureRunner(
  kernel: Kernel,
  config: AgentConfig,
  registration: Registration,
): Promise<ConfigureOutcome> {
  const { runnerDirectory: cwd, runnerUser: user } = config;
  const unfit = whyUnfit(kernel, cwd);
  if (unfit !== undefined) return unfit;
  if (isJitConfig(registration.token.reveal()) !== config.ephemeral) return { kind: 'other-mode' };
  for (const file of runnerFiles(cwd)) kernel.remove(file);
  if (config.ephemeral) return writeJitConfig(kernel, config, registration.token);
  const output = await kernel.run({
    file: './config.sh',
    args: configArguments(config, registration),
    user,
    cwd,
    environment: { ACTIONS_RUNNER_INPUT_TOKEN: registration.token },
    timeoutMs: configureTimeoutMs,
  });
  return classify(output, registration.token.reveal());
}

/** Nothing else is a file that a runner is configured by. */
const jitFiles = /^\.(runner|credentials)[a-z_]*$/;

/**
 * Writes the files of a just-in-time configuration where `Runner.Listener run --jitconfig` would: base64 of JSON, file name to base64
 * of its content (actions/runner, `Runner.cs`). So the configuration is no argument and in no environment, the unit is the same in
 * both modes, and a listener that ends before its job can be started again.
 */
function writeJitConfig(
  kernel: Kernel,
  { runnerDirectory, runnerUser }: Pick<AgentConfig, 'runnerDirectory' | 'runnerUser'>,
  encoded: Secret,
): ConfigureOutcome {
  const files = parseJitConfig(encoded.reveal());
  if (files === undefined)
    return { kind: 'platform-failed', reason: 'token-refused', message: 'this is no just-in-time configuration' };
  // The file that makes it configured comes last.
  const ordered = [...files].sort(([a], [b]) => Number(a.startsWith('.runner')) - Number(b.startsWith('.runner')));
  for (const [name, text] of ordered) kernel.writeFile(`${runnerDirectory}/${name}`, text, runnerUser);
  return { kind: 'configured' };
}

/** A registration token is no base64 of JSON. */
function isJitConfig(token: string): boolean {
  try {
    JSON.parse(Buffer.from(token, 'base64').toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

function parseJitConfig(encoded: string): readonly (readonly [string, string])[] | undefined {
  const decode = (text: string) => Buffer.from(text, 'base64').toString('utf8');
  try {
    const content = Object.entries(JSON.parse(decode(encoded)) as Record<string, unknown>);
    const known = content.every(([name, text]) => jitFiles.test(name) && typeof text === 'string');
    const complete = content.some(([name]) => name === '.runner') && content.some(([name]) => name === '.credentials');
    return known && complete ? content.map(([name, text]) => [name, decode(text as string)]) : undefined;
  } catch {
    return undefined;
  }
}

function whyUnfit(kernel: Kernel, directory: string): ConfigureOutcome | undefined {
  if (!kernel.list(directory).some(({ name }) => name === 'config.sh'))
    return { kind: 'host-failed', reason: 'software-missing', message: `${directory}/config.sh does not exist` };
  const freeBytes = kernel.freeBytes(directory);
  if (freeBytes >= leastFreeBytes) return undefined;
  const message = `only ${Math.round(freeBytes / 1024 ** 2)} MiB are free on its disk`;
  return { kind: 'host-failed', reason: 'disk-full', message };
}

type Refusal =
  Exclude<ConfigureOutcome, { kind: 'configured' }> extends infer Each
    ? Each extends { readonly kind: infer Kind; readonly reason: infer Reason }
      ? { readonly kind: Kind; readonly reason: Reason }
      : never
    : never;

/** The words of `config.sh` and of the platform behind it, the most certain first (actions/runner, `ConfigurationManager`). */
const refusals: readonly (readonly [RegExp, Refusal])[] = [
  [/already configured/i, { kind: 'host-failed', reason: 'already-configured' }],
  [
    /dependencies is missing|\bldd\b|\bldconfig\b|must not run with sudo/i,
    { kind: 'host-failed', reason: 'libraries-missing' },
  ],
  [
    /minimum runner version|runner update required|version.*(deprecated|no longer supported|too old)/i,
    { kind: 'platform-failed', reason: 'version-too-old' },
  ],
  [/runner group/i, { kind: 'platform-failed', reason: 'runner-group-unknown' }],
  [
    /response code: (NotFound|Unauthorized|Forbidden|40[134]) from/i,
    { kind: 'platform-failed', reason: 'token-refused' },
  ],
];

/** The meaning of the end of `config.sh`. */
export function classify({ exitCode, stdout, stderr }: CommandOutput, token: string): ConfigureOutcome {
  if (exitCode === 0) return { kind: 'configured' };
  const said = `${stdout}\n${stderr}`.replaceAll(token, '[secret]').trim();
  const message = said.split('\n').slice(-3).join(' ') || `config.sh ended with ${exitCode}`;
  const refusal = refusals.find(([words]) => words.test(said))?.[1];
  return { kind: 'platform-failed', reason: 'unavailable', ...refusal, message } as ConfigureOutcome;
}

/** The usual labels are given as custom ones: those that the platform gives cannot be taken away when the runner drains. */
export function configArguments(
  config: Pick<AgentConfig, 'platformUrl' | 'runnerGroup'>,
  registration: Pick<Registration, 'name' | 'labels'>,
  architecture: string = process.arch,
): string[] {
  const group = config.runnerGroup === undefined ? [] : ['--runnergroup', config.runnerGroup];
  const allLabels = [...usualLabels(architecture), ...registration.labels];
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
