import type { RunnerFiles, RunnerIdentity } from './ports.ts';

/** The folder of the runner software on machines. */
export const runnerDirectory = '/opt/actions-runner';
/** Written by `config.sh`; says which runner this is. */
export const runnerFile = `${runnerDirectory}/.runner`;
export const listenerName = 'Runner.Listener';
export const workerName = 'Runner.Worker';

/** The version that the stand-in claims to be, unless it is configured otherwise. */
export const standInVersion = '2.336.0';

/** Files that `config.sh` leaves besides scripts; all of it is deleted together. */
const configurationFiles = ['.credentials', '.credentials_rsaparams', '.runner'] as const;

/** `.runner`, in the words of the original. */
export interface RunnerSettings {
  readonly agentId: number;
  readonly agentName: string;
  readonly poolId: number;
  readonly gitHubUrl: string;
  readonly serverUrlV2: string;
  readonly useV2Flow: true;
  readonly workFolder: string;
  readonly disableUpdate?: true;
  readonly ephemeral?: true;
}

/** Names of the environment that `env.sh` keeps in `.env` for later starts, unless that has them. */
export const keptVariables =
  'LANG JAVA_HOME ANT_HOME M2_HOME ANDROID_HOME ANDROID_SDK_ROOT GRADLE_HOME NVM_BIN NVM_PATH LD_LIBRARY_PATH PERL5LIB';

/** One for each start of a program. */
export const logFile = (program: 'Runner' | 'Worker', startedAt: number): string =>
  `_diag/${program}_${new Date(startedAt).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)}-utc.log`;

export const isConfigured = (files: RunnerFiles): boolean => files.read('.runner') !== undefined;

export function deleteConfiguration(files: RunnerFiles): void {
  for (const name of configurationFiles) files.delete(name);
}

/** Which runner the files say this is; undefined when it is not configured. */
export function readIdentity(files: RunnerFiles, version: string): RunnerIdentity | undefined {
  const [settings, credentials] = [files.read('.runner'), files.read('.credentials')];
  if (settings === undefined || credentials === undefined) return undefined;
  const { agentId, serverUrlV2, ephemeral } = readAsDotNet(settings);
  const data = readAsDotNet(JSON.stringify(readAsDotNet(credentials).data));
  return {
    agentId: Number(agentId),
    clientId: String(data.clientId),
    serviceUrl: String(serverUrlV2),
    authorizationUrl: String(data.authorizationUrl),
    key: files.read('.credentials_rsaparams') ?? '',
    fips: String(data.requireFipsCryptography).toLowerCase() === 'true',
    version,
    ephemeral: String(ephemeral).toLowerCase() === 'true',
  };
}

/** Names in any case: `config.sh` writes small letters, a just-in-time configuration capitals, and numbers and booleans as text. */
function readAsDotNet(text: string): Readonly<Record<string, unknown>> {
  const entries = Object.entries(JSON.parse(text.replace(/^\uFEFF/, '')) as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, value]) => [`${name[0]!.toLowerCase()}${name.slice(1)}`, value]));
}

/** `--jitconfig`: base64 of JSON, file name to base64 of its content. What exists is written over. Throws when it is broken. */
export function writeJitConfig(files: RunnerFiles, encoded: string): void {
  const content = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as Record<string, string>;
  for (const [name, text] of Object.entries(content)) files.write(name, Buffer.from(text, 'base64').toString('utf8'));
}

/** `.env`: lines KEY=VALUE without quotes. */
export function readEnvFile(text: string | undefined): Record<string, string> {
  const lines = (text ?? '').split('\n').filter((line) => line.indexOf('=') > 0);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const),
  );
}
