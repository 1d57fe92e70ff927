import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { notMade } from '@drover/cloud-world';
import { RealClock } from '@drover/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeTemplates } from '../cloudformation.ts';
import { DeployingWorld } from '../templates/deploying-world.test-support.ts';
import { providerVersion } from './aws-provider.ts';
import { writeModules } from './modules.ts';

const { DROVER_TERRAFORM: tool = 'terraform', DROVER_TERRAFORM_MIRROR: mirror = '' } = process.env;
/** Stacks of one release have assets in common, and each module deletes its own. */
const bucketOf = (module: string) => `terraform-assets-${module}`;
const minutes = 60_000;
const subnets = ['subnet_a', 'subnet_b', 'subnet_c'];
const real = new RealClock();

const folder = mkdtempSync(join(tmpdir(), 'drover-terraform-'));
const release = join(folder, 'release');
const configuration = join(folder, 'infrastructure');
let deploying: DeployingWorld;
/** Inputs of the fleet beside its network. */
let inputs: Readonly<Record<string, string | number>>;

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs the tool in the folder of the configuration. */
function run(...args: readonly string[]): Promise<Ended> {
  const env = {
    ...deploying.credentials,
    PATH: process.env.PATH,
    HOME: folder,
    TF_CLI_CONFIG_FILE: join(folder, 'cli.tfrc'),
    CHECKPOINT_DISABLE: '1',
  };
  return new Promise((resolve) => {
    execFile(tool, [...args], { cwd: configuration, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}\n${stderr}` }),
    );
  });
}

async function succeed(...args: readonly string[]): Promise<string> {
  const { code, output } = await run(...args);
  if (code !== 0) throw new Error(`${tool} ${args.join(' ')}: exit code ${code}\n${output.slice(-6_000)}`);
  return output;
}

const apply = () => succeed('apply', '-auto-approve', '-input=false', '-no-color');
/** 0: nothing to change; 2: there is. */
const plan = async () => (await run('plan', '-detailed-exitcode', '-input=false', '-no-color')).code;
/** A text that begins with = is an expression. */
const value = (given: string | number) => {
  if (typeof given === 'number') return String(given);
  return given.startsWith('=') ? given.slice(1) : JSON.stringify(given);
};

/** As a user writes it: the network is made in the same configuration, so its ids are known only when that is applied. */
function writeConfiguration(modules: Readonly<Record<string, Readonly<Record<string, string | number>>>>): void {
  const { region } = deploying.world.aws;
  const blocks = Object.entries(modules).map(([name, { source = '', ...given }]) => {
    const all = { region, asset_bucket: bucketOf(name), folder: join(release, 'cloudformation'), ...given };
    const rows = Object.entries(all).map(([key, one]) => `  ${key} = ${value(one)}`);
    const own =
      source === 'own' ? [] : ['vpc_id', ...subnets].map((key) => `  ${key} = terraform_data.network.output.${key}`);
    return `module "${name}" {\n  source = "${release}/terraform/${source === 'own' ? 'runner-fleet' : source}"\n${[...rows, ...own].join('\n')}\n}\n
output "${name}" {\n  value = module.${name}\n}\n`;
  });
  const { vpcId, subnetIds } = deploying.place;
  const ids = [`vpc_id = "${vpcId}"`, ...subnets.map((key, index) => `${key} = "${subnetIds[index]}"`)];
  writeFileSync(
    join(configuration, 'main.tf'),
    `provider "aws" {\n  region = "${region}"\n  s3_use_path_style = true\n}\n
resource "terraform_data" "network" {\n  input = {\n    ${ids.join('\n    ')}\n  }\n}\n\n${blocks.join('\n')}`,
  );
}

const outputs = async (module: string) => {
  const all = JSON.parse(await succeed('output', '-json')) as Record<string, { value: Record<string, string | null> }>;
  return all[module]!.value;
};

const root = () => ({ credentials: deploying.world.rootCredentials });
const objects = async (module = 'fleet') => {
  const { Contents = [] } = (await deploying.world.aws.call(
    's3',
    'ListObjectsV2',
    { Bucket: bucketOf(module) },
    root(),
  )) as {
    Contents?: { Key: string }[];
  };
  return Contents.map(({ Key }) => Key);
};

async function until(what: string, reached: () => boolean): Promise<void> {
  const end = real.now() + 5 * minutes;
  while (!reached()) {
    if (real.now() > end) throw new Error(`${what}: not within five minutes`);
    await real.sleep(250);
  }
}

beforeAll(async () => {
  writeTemplates(join(release, 'cloudformation'));
  leaveOutNode(join(release, 'cloudformation/assets'));
  writeModules(join(release, 'terraform'), join(release, 'cloudformation'));
  mkdirSync(configuration);
  writeFileSync(
    join(folder, 'cli.tfrc'),
    `provider_installation {\n  filesystem_mirror {\n    path = "${mirror}"\n  }\n}\n`,
  );
  deploying = await DeployingWorld.open({ fleets: ['builders', 'own'], clusters: ['logs'], speed: 240 });
  const { codeHost, platformToken } = deploying.fleets[0]!;
  const secret = { Name: 'token', SecretString: platformToken };
  const { ARN } = (await deploying.world.aws.call('secretsmanager', 'CreateSecret', secret, root())) as { ARN: string };
  inputs = {
    ...{ source: 'runner-fleet', stack_name: 'builders', platform_org: codeHost.org, platform_token_secret_arn: ARN },
  };
  for (const module of ['fleet', 'own', 'cluster', 'ui'])
    await deploying.world.aws.call('s3', 'CreateBucket', { Bucket: bucketOf(module) }, root());
});
afterAll(async () => {
  await deploying?.close();
  rmSync(folder, { recursive: true });
});

describe(`the modules with ${tool} and version ${providerVersion} of the AWS provider`, () => {
  it('all modules are formatted and valid', async () => {
    writeConfiguration({ fleet: inputs, cluster: { source: 'search-cluster' }, ui: { source: 'search-ui' } });
    await succeed('fmt', '-check', '-recursive', join(release, 'terraform'));
    await succeed('init', '-input=false', '-no-color');
    await succeed('validate', '-no-color');
  });

  it('a value that the template does not allow and one that is missing are refused by the plan', async () => {
    const { platform_org: _org, ...without } = inputs;
    for (const [given, message] of [
      [{ ...inputs, instance_type: 'large' }, /Give an instance type/],
      [{ ...inputs, min_size: -1 }, /Give 0 or more/],
      [without, /needs values for .*PlatformOrg/s],
    ] as const) {
      writeConfiguration({ fleet: given });
      const { code, output } = await run('plan', '-input=false', '-no-color');
      expect([code, output]).toEqual([1, expect.stringMatching(message)]);
    }
  });

  it('apply deploys a fleet whose runners come into service, and the next plan has nothing to change', async () => {
    writeConfiguration({ fleet: inputs });
    await apply();
    await until('three runners are in service', () => deploying.inService('builders').length === 3);
    expect(await outputs('fleet')).toMatchObject({ autoscaling_group_name: 'builders' });
    expect(await plan()).toBe(0);
  });

  it('a changed variable changes the group and replaces no runner', async () => {
    const before = deploying.inService('builders');
    writeConfiguration({ fleet: { ...inputs, max_size: 9 } });
    expect(await plan()).toBe(2);
    await apply();
    expect(deploying.world.observe.group('builders')).toMatchObject({ minSize: 3, maxSize: 9 });
    expect(deploying.inService('builders')).toEqual(before);
    expect(await plan()).toBe(0);
  });

  it('another release updates the stack, and takes the assets that no template names any more out of the bucket', async () => {
    const next = join(folder, 'next');
    cpSync(join(release, 'cloudformation'), next, { recursive: true });
    renameOneAsset(next);
    const before = await objects();
    writeConfiguration({ fleet: { ...inputs, max_size: 9, folder: next } });
    await apply();
    const after = await objects();
    expect(after.length).toBe(before.length);
    expect(before.filter((key) => !after.includes(key))).toHaveLength(2);
    expect(await plan()).toBe(0);
    expect(deploying.inService('builders')).toHaveLength(3);
  });

  it('the same module deploys what drover synth wrote', async () => {
    const { platform_org, platform_token_secret_arn } = inputs;
    const { vpcId: vpc_id, subnetIds: subnet_ids } = deploying.place;
    const file = join(folder, 'fleet.json');
    writeFileSync(
      file,
      JSON.stringify({
        ...{
          environment: 'production',
          group_name: 'own',
          asg_min_size: 1,
          asg_max_size: 2,
          vpc_id,
          runner_subnets_private: true,
        },
        ...{ subnet_ids, platform_org, platform_token_secret_arn },
      }),
    );
    const { synth } = await import('../../../packages/local/src/synth/synth.ts');
    const io = { stdout: () => {}, stderr: () => {} } as never;
    await synth(io, file, { out: join(folder, 'own') });
    leaveOutNode(join(folder, 'own/assets'));
    const own = { source: 'own', stack_name: 'own', folder: join(folder, 'own') };
    writeConfiguration({ fleet: inputs, own: { ...own, max_size: 4 } });
    await succeed('init', '-input=false', '-no-color');
    expect((await run('plan', '-input=false', '-no-color')).output).toMatch(/has none of the parameters.*MaxSize/s);
    writeConfiguration({ fleet: inputs, own });
    await apply();
    await until('a runner is in service', () => deploying.inService('own').length === 1);
    expect(await outputs('own')).toMatchObject({ autoscaling_group_name: 'own' });
    expect(await plan()).toBe(0);
  });

  it('apply deploys a cluster and its web UI, each with its own module, and the next plan has nothing to change', async () => {
    const { zoneId: zone_id, zoneName: zone_name, vpcRange: vpc_cidr_block } = deploying.place;
    const addresses = { zone_id, zone_name, vpc_cidr_block };
    writeConfiguration({
      fleet: inputs,
      own: { source: 'own', stack_name: 'own', folder: join(folder, 'own') },
      cluster: { source: 'search-cluster', cluster_name: 'logs', ...addresses },
      ui: {
        ...{ source: 'search-ui', ...addresses },
        elasticsearch_host: '=trimprefix(module.cluster.cluster_master_url, "https://")',
        kibana_system_secret_id: '=module.cluster.kibana_system_secret_id',
      },
    });
    await succeed('init', '-input=false', '-no-color');
    await apply();
    expect(await plan()).toBe(0);
    const health = await deploying.clusters[0]!.ask<{ status: string }>('GET', '/_cluster/health');
    expect(health.status).toBe('green');
    expect(await outputs('ui')).toMatchObject({ kibana_url: `https://kibana.${zone_name}` });
  });

  it('destroy deletes a stack, forgets those that drover has deleted, and deletes the objects of all', async () => {
    const env = { ...deploying.credentials, PATH: process.env.PATH, HOME: folder };
    const drover = (line: string) =>
      promisify(execFile)(process.execPath, ['apps/drover/bin/drover.js', ...line.split(' ')], { env });
    await Promise.all([
      drover('fleet destroy --stack builders --yes'),
      drover('cluster destroy --stack search-cluster --skip-snapshot --yes'),
    ]);
    expect(await plan()).toBe(2);
    await succeed('destroy', '-auto-approve', '-input=false', '-no-color');
    expect(deploying.world.observe.group('builders')).toBeUndefined();
    expect(deploying.world.observe.group('own')).toBeUndefined();
    expect([...(await objects()), ...(await objects('own')), ...(await objects('cluster'))]).toEqual([]);
  });
});

/** The embedded cloud takes no upload in parts, and its machines have Node without the archive; a stand-in is there to be copied. */
function leaveOutNode(at: string): void {
  for (const name of readdirSync(at).filter((one) => statSync(join(at, one)).size > 4 * 2 ** 20))
    writeFileSync(join(at, name), notMade);
}

/** A release with other code for one function: the asset has another name, which the template has too. */
function renameOneAsset(at: string): void {
  const template = join(at, 'runner-fleet.template.json');
  const text = readFileSync(template, 'utf8');
  const old = readdirSync(join(at, 'assets')).find((name) => name.endsWith('.zip') && text.includes(name))!;
  const name = `${'0'.repeat(64)}.zip`;
  cpSync(join(at, 'assets', old), join(at, 'assets', name));
  rmSync(join(at, 'assets', old));
  writeFileSync(template, text.replaceAll(old, name));
}
