import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LocalEnvironment {
  readonly aws: {
    readonly url: string;
    readonly region: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
  };
  readonly platform: { readonly url: string; readonly token: string };
  readonly search: { readonly host: string; readonly port: number; readonly password: string };
  readonly stack: string;
}

/** Writes what another shell needs: `. .drover/local.env`. Only its owner may read it. */
export function writeLocalEnv(folder: string, { aws, platform, search, stack }: LocalEnvironment): string {
  const file = join(folder, 'local.env');
  const lines = {
    AWS_ENDPOINT_URL: aws.url,
    AWS_REGION: aws.region,
    AWS_DEFAULT_REGION: aws.region,
    AWS_ACCESS_KEY_ID: aws.accessKeyId,
    AWS_SECRET_ACCESS_KEY: aws.secretAccessKey,
    AWS_PAGER: '',
    AWS_EC2_METADATA_DISABLED: 'true',
    DROVER_PLATFORM_API: platform.url,
    DROVER_PLATFORM_TOKEN: platform.token,
    CLUSTER_CLI_ES_HOST: search.host,
    CLUSTER_CLI_ES_PORT: String(search.port),
    CLUSTER_CLI_PASSWORD: search.password,
    DROVER_STACK: stack,
    DROVER_FLEET_STACK: stack,
    DROVER_CLUSTER_STACK: stack,
    // The name of the cluster leads to its load balancer inside the embedded cloud only.
    DROVER_CLUSTER_URL: `http://${search.host}:${search.port}`,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
  const text = Object.entries(lines)
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`)
    .join('');
  writeFileSync(file, `# for other shells: . ${file}\n${text}`, { mode: 0o600 });
  return file;
}
