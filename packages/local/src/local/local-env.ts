import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';

export interface LocalEnvironment {
  readonly aws: {
    readonly url: string;
    readonly region: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
  };
  readonly platform: { readonly url: string; readonly token: string };
  readonly console: string;
  readonly search: { readonly host: string; readonly port: number; readonly password: string };
  readonly stacks: { readonly fleet: string; readonly cluster: string };
}

/**
 * Variables that a shell may have set for a real account, and that would be used together with the test credentials.
 */
const leftovers = [
  'AWS_PROFILE',
  'AWS_DEFAULT_PROFILE',
  'AWS_SESSION_TOKEN',
  'AWS_SECURITY_TOKEN',
  'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
];

/**
 * Writes what another shell needs: `. .drover/local.env`. Only its owner may read it.
 * Nothing in it leads to a real account: the credentials are the embedded cloud's, and the user's own profiles are out of reach.
 */
export function writeLocalEnv(folder: string, { aws, console, platform, search, stacks }: LocalEnvironment): string {
  const file = join(folder, 'local.env');
  const lines = {
    AWS_ENDPOINT_URL: aws.url,
    AWS_REGION: aws.region,
    AWS_DEFAULT_REGION: aws.region,
    AWS_ACCESS_KEY_ID: aws.accessKeyId,
    AWS_SECRET_ACCESS_KEY: aws.secretAccessKey,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_PAGER: '',
    AWS_EC2_METADATA_DISABLED: 'true',
    DROVER_CONSOLE_URL: console,
    DROVER_PLATFORM_API: platform.url,
    DROVER_PLATFORM_TOKEN: platform.token,
    CLUSTER_CLI_ES_HOST: search.host,
    CLUSTER_CLI_ES_PORT: String(search.port),
    CLUSTER_CLI_PASSWORD: search.password,
    DROVER_STACK: stacks.fleet,
    DROVER_FLEET_STACK: stacks.fleet,
    DROVER_CLUSTER_STACK: stacks.cluster,
    // The name of the cluster leads to its load balancer inside the embedded cloud only.
    DROVER_CLUSTER_URL: `http://${search.host}:${search.port}`,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
  const text = Object.entries(lines)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('');
  const path = `export PATH=${quoted(writeCommands(folder))}:"$PATH"\n`;
  writeFileSync(file, `# for other shells: . ${file}\nunset ${leftovers.join(' ')}\n${text}${path}`, { mode: 0o600 });
  return file;
}

/** The folder in which npm has linked `drover` and `cluster-cli`; undefined if it has not. */
function linkedCommands(): string | undefined {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const bin = join(folder, 'node_modules/.bin');
    if (existsSync(join(bin, 'drover'))) return bin;
  }
  return undefined;
}

const quoted = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

/**
 * Writes the commands of a second shell and returns their folder, which comes first on the PATH.
 *
 * `aws`: releases of the AWS CLI before 2.13 (Debian 12 has 2.9) do not read AWS_ENDPOINT_URL and would send every command to AWS. A file
 * on the PATH, unlike a shell function, also works for scripts, `xargs` and `watch`, in every shell.
 * `drover` and `cluster-cli`: without `npx`, which asks the registry for a command that is missing. The other commands of npm's folder stay
 * off the PATH, where they would hide the user's own.
 */
function writeCommands(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'aws'), awsCommand, { mode: 0o755 });
  const linked = linkedCommands();
  for (const name of linked === undefined ? [] : ['drover', 'cluster-cli']) {
    rmSync(join(bin, name), { force: true });
    if (existsSync(join(linked!, name))) symlinkSync(join(linked!, name), join(bin, name));
  }
  return bin;
}

/** Its own folder leaves the PATH, so that a shim that searches the PATH again does not find this file. */
const awsCommand = `#!/bin/sh
# The installed AWS command line, sent to \`drover local\`: releases before 2.13 do not read AWS_ENDPOINT_URL.
if [ -z "\${AWS_ENDPOINT_URL:-}" ]; then
  echo 'aws: AWS_ENDPOINT_URL is not set: read local.env again, or use a new shell for AWS itself' >&2
  exit 2
fi
own=$(dirname "$0")
rest=
set -f
IFS=:
for folder in $PATH; do
  [ "$folder" -ef "$own" ] || rest=\${rest:+$rest:}$folder
done
unset IFS
PATH=$rest
if ! command -v aws >/dev/null; then
  echo 'aws: not found: install the AWS command line, for example apt install awscli' >&2
  exit 127
fi
exec aws --endpoint-url "$AWS_ENDPOINT_URL" "$@"
`;
