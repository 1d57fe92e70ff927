import type { RsaParameters } from '../actions-service/runner-keys.ts';
import { exitCodes } from './exit-codes.ts';
import { type OptionName, Options } from './options.ts';
import { Refused, type RegisteredRunner, type RegistrationRequest, type RunnerSystem, Unreachable } from './ports.ts';
import { deleteConfiguration, isConfigured, keptVariables, type RunnerSettings } from './runner-files.ts';

/** A reason to end with code 1. */
class Failure extends Error {}

/** `config.sh` and `config.sh remove`. `argv` is without the name of the script. */
export async function configure(system: RunnerSystem): Promise<number> {
  try {
    if (system.user === 'root' && (system.env.RUNNER_ALLOW_RUNASROOT ?? '') === '')
      throw new Failure('Must not run with sudo');
    const removing = system.argv[0] === 'remove';
    const options = new Options(removing ? system.argv.slice(1) : system.argv, system.env);
    if (options.unknown !== undefined)
      system.complain(
        `Unrecognized command-line input arguments for command ${removing ? 'remove' : 'configure'}: '${options.unknown}'. For usage refer to: .\\config.cmd --help or ./config.sh --help`,
      );
    if (removing) await remove(system, options);
    else await register(system, options);
    return exitCodes.success;
  } catch (error) {
    if (!(error instanceof Failure || error instanceof Refused || error instanceof Unreachable)) throw error;
    system.complain(error.message);
    return exitCodes.terminated;
  }
}

async function register(system: RunnerSystem, options: Options): Promise<void> {
  const { files } = system;
  // Before any request, and --replace does not matter: it speaks of the registration at GitHub.
  if (isConfigured(files))
    throw new Failure(
      "Cannot configure the runner because it is already configured. To reconfigure the runner, run 'config.cmd remove' or './config.sh remove' first.",
    );
  const url = required(options, 'url');
  const given = (options.value('labels') ?? '').split(',').filter((label) => label.trim() !== '');
  // One that is too long takes all of them with it.
  const labels = given.some((label) => label.length > 256) ? [] : given;
  const key = system.makeKey();
  const request: RegistrationRequest = {
    apiUrl: apiUrlOf(url, system.env),
    url,
    token: required(options, 'token'),
    name: options.value('name') ?? system.hostName,
    labels,
    noDefaultLabels: options.has('no-default-labels'),
    replace: options.has('replace'),
    ephemeral: options.has('ephemeral'),
    group: options.value('runnergroup'),
    version: system.version,
    publicKey: key,
  };
  const runner = await askGitHub(system, request, key);
  system.say(runner.replaced ? '√ Successfully replaced the runner' : '√ Runner successfully added');
  system.say('√ Runner connection is good');
  writeConfiguration(system, options, url, request, runner);
  system.say('√ Settings Saved.');
}

function required(options: Options, name: OptionName): string {
  const value = options.value(name);
  if (value === undefined)
    throw new Failure(`Invalid configuration provided for ${name}. Terminating unattended configuration.`);
  return value;
}

/** The original asks for the right to register first, which fails with a bad token, and makes its key before it adds the runner. */
async function askGitHub(
  system: RunnerSystem,
  request: RegistrationRequest,
  key: RsaParameters,
): Promise<RegisteredRunner> {
  const writeKey = () => {
    system.files.write('.credentials_rsaparams', JSON.stringify(key), 0o600);
    if (request.noDefaultLabels && request.labels.length === 0)
      throw new Failure('Labels must be provided when --no-default-labels is set');
  };
  try {
    const runner = await threeTimes(system, () => system.pipelines.register(request, writeKey));
    system.say('√ Connected to GitHub');
    return runner;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.request === undefined) throw new Failure(error.message);
    if (error.message.startsWith('The minimum runner version'))
      throw new Failure(
        `RUNNER UPDATE REQUIRED\n${error.message}\nPlease upgrade your runner.\nResponse status code does not indicate success: 404 (Not Found).`,
      );
    const word = error.status === 404 ? 'NotFound' : String(error.status);
    throw new Failure(`Http response code: ${word} from '${error.request}'\n${error.message}`);
  }
}

/** Every refusal is tried again but a 404 (actions/runner, ConfigurationManager.cs). */
async function threeTimes<T>({ clock, random }: RunnerSystem, ask: () => Promise<T>): Promise<T> {
  const final = (error: unknown) =>
    error instanceof Refused ? error.status === 404 || error.request === undefined : !(error instanceof Unreachable);
  for (let attempt = 1; ; attempt++)
    try {
      return await ask();
    } catch (error) {
      if (final(error) || attempt === 3) throw error;
      await clock.sleep(random.int(1_000, 5_000));
    }
}

function writeConfiguration(
  { files, env }: RunnerSystem,
  options: Options,
  gitHubUrl: string,
  request: RegistrationRequest,
  runner: RegisteredRunner,
): void {
  const settings: RunnerSettings = {
    agentId: runner.id,
    agentName: runner.name,
    poolId: 1,
    gitHubUrl,
    serverUrlV2: runner.serverUrl,
    useV2Flow: true,
    workFolder: options.value('work') ?? '_work',
    ...(options.has('disableupdate') ? { disableUpdate: true } : {}),
    ...(request.ephemeral ? { ephemeral: true } : {}),
  };
  const { clientId, authorizationUrl } = runner;
  const credentials = { scheme: 'OAuth', data: { clientId, authorizationUrl, requireFipsCryptography: 'True' } };
  // As .NET writes it, with a mark of the byte order.
  files.write('.credentials', `\uFEFF${JSON.stringify(credentials)}`);
  files.write('.runner', `\uFEFF${JSON.stringify(settings)}`);
  const kept = files.read('.env') ?? '';
  const added = keptVariables.split(' ').filter((name) => env[name] && !kept.includes(`${name}=`));
  files.write('.env', `${kept}${added.map((name) => `${name}=${env[name]}\n`).join('')}`);
  files.write('.path', env.PATH ?? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin');
  files.write('svc.sh', '#!/bin/bash\necho "The stand-in has no service of its own." >&2\nexit 1\n', 0o755);
}

async function remove(system: RunnerSystem, options: Options): Promise<void> {
  const { files } = system;
  if (!options.has('local')) await removeAtGitHub(system, options);
  for (const name of ['.credentials', '.runner'])
    system.say(files.read(name) === undefined ? `Does not exist. Skipping Removing ${name}` : `√ Removed ${name}`);
  deleteConfiguration(files);
}

async function removeAtGitHub(system: RunnerSystem, options: Options): Promise<void> {
  const { files } = system;
  if (files.read('.service') !== undefined) throw new Failure('Uninstall service first');
  const settings = files.read('.runner');
  if (settings === undefined)
    return system.say(
      'Cannot connect to server, because config files are missing. Skipping removing runner from the server.',
    );
  const { agentId, gitHubUrl } = JSON.parse(settings.replace(/^\uFEFF/, '')) as RunnerSettings;
  const apiUrl = apiUrlOf(gitHubUrl, system.env);
  const token = required(options, 'token');
  await threeTimes(system, () => system.pipelines.unregister({ apiUrl, url: gitHubUrl, token, id: agentId }));
  system.say('√ Runner removed successfully');
}

/**
 * Where the API is, from the address of the organisation; as in the original a port is lost outside of github.com.
 * RUNNER_STAND_IN_API overrules it, for tests on loopback.
 */
function apiUrlOf(url: string, env: RunnerSystem['env']): string {
  if (env.RUNNER_STAND_IN_API !== undefined) return env.RUNNER_STAND_IN_API;
  const { protocol, hostname } = new URL(url);
  const hosted = /^(www\.)?github\.com$|\.ghe\.com$|^github\.localhost$|\.ghe\.localhost$/.test(hostname);
  return hosted ? `${protocol}//api.${hostname.replace(/^www\./, '')}` : `${protocol}//${hostname}/api/v3`;
}
