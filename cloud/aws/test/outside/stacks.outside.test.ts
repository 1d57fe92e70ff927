import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Served } from '@drover/cloud-engine';
import { World } from '@drover/cloud-world';
import { ScaledClock } from '@drover/core';
import { App, CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrapCdk } from '../../src/cloudformation/bootstrap.ts';
import { serveAws } from '../../src/wire/wire.ts';
import { outsideClients } from './outside-client.ts';

/** So fast that a stack is at rest when a client first looks, and so slow that an hour of credentials lasts for a test. */
const world = new World({ clock: new ScaledClock({ speed: 50 }) });
let [served, folder]: [Served | undefined, string] = [undefined, ''];

const template = `
Parameters:
  Name: { Type: String }
Resources:
  Bucket:
    Type: AWS::S3::Bucket
    Properties: { BucketName: !Sub '\${Name}-bucket' }
Outputs:
  Arn: { Value: !GetAtt Bucket.Arn }
`;

beforeAll(async () => {
  await bootstrapCdk(world);
  served = await serveAws(world);
  folder = await mkdtemp(join(tmpdir(), 'stacks-'));
  await writeFile(join(folder, 'template.yaml'), template);
});
afterAll(async () => {
  await served?.close();
  await rm(folder, { recursive: true });
});

/** Nothing of this machine's own configuration is used. */
const environment = () => ({
  PATH: process.env.PATH,
  HOME: folder,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'eu-west-1',
  AWS_DEFAULT_REGION: 'eu-west-1',
  AWS_ENDPOINT_URL: served?.url,
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_PAGER: '',
  AWS_MAX_ATTEMPTS: '1',
  CDK_DISABLE_CLI_TELEMETRY: 'true',
  CDK_VALIDATION: 'false',
  CI: 'true',
});

interface Told {
  readonly code: number;
  readonly text: string;
}

const run = (command: string, args: readonly string[]): Promise<Told> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd: folder, env: environment() }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), text: stdout + stderr }),
    );
  });

const clis = outsideClients('aws', 'apt-get install awscli');

describe.each(clis)('the AWS CLI of $path $reason', ({ path, missing }) => {
  const name = `cli-${clis.findIndex((each) => each.path === path)}`;
  const aws = (line: string) =>
    run(path, [...line.split(' '), '--endpoint-url', served?.url ?? '', '--output', 'json']);

  it.skipIf(missing)('creates a stack, changes it, and deletes it', async () => {
    const created = await aws(
      `cloudformation create-stack --stack-name ${name} --template-body file://template.yaml --parameters ParameterKey=Name,ParameterValue=${name}`,
    );
    expect(created).toMatchObject({ code: 0 });
    expect(await aws(`cloudformation wait stack-create-complete --stack-name ${name}`)).toMatchObject({ code: 0 });
    const described = await aws(`cloudformation describe-stacks --stack-name ${name}`);
    expect(JSON.parse(described.text).Stacks).toMatchObject([
      { StackStatus: 'CREATE_COMPLETE', Outputs: [{ OutputKey: 'Arn', OutputValue: `arn:aws:s3:::${name}-bucket` }] },
    ]);
    const none = await aws(
      `cloudformation deploy --no-fail-on-empty-changeset --stack-name ${name} --template-file template.yaml`,
    );
    expect(none).toMatchObject({ code: 0, text: expect.stringContaining('No changes to deploy') });
    expect(await aws(`cloudformation delete-stack --stack-name ${name}`)).toMatchObject({ code: 0 });
    expect(await aws(`cloudformation wait stack-delete-complete --stack-name ${name}`)).toMatchObject({ code: 0 });
    const gone = await aws(`cloudformation describe-stacks --stack-name ${name}`);
    expect(gone.text).toContain(`Stack with id ${name} does not exist`);
  });
});

describe('the CDK command line', () => {
  const cdk = (...args: string[]) =>
    run(process.execPath, [createRequire(import.meta.url).resolve('aws-cdk/bin/cdk'), ...args]);

  it('deploys an app with an asset and destroys it', async () => {
    process.env.CDK_VALIDATION = 'false';
    const source = await mkdtemp(join(folder, 'source-'));
    await writeFile(join(source, 'index.js'), 'exports.handler = async () => 42;');
    const outdir = join(folder, 'cdk.out');
    const app = new App({ outdir, analyticsReporting: false });
    const stack = new Stack(app, 'CdkDemo');
    const bucket = new Bucket(stack, 'Data', { removalPolicy: RemovalPolicy.DESTROY });
    const fn = new LambdaFunction(stack, 'Fn', {
      runtime: Runtime.NODEJS_22_X,
      handler: 'index.handler',
      code: Code.fromAsset(source),
    });
    bucket.grantRead(fn);
    new CfnOutput(stack, 'FunctionName', { value: fn.functionName });
    app.synth();

    const deployed = await cdk('deploy', '--app', outdir, '--require-approval', 'never', '--no-notices');

    expect(deployed.text).toContain('CdkDemo.FunctionName = CdkDemo-Fn');
    expect(deployed.code).toBe(0);
    const destroyed = await cdk('destroy', '--app', outdir, '--force', '--no-notices');
    expect(destroyed).toMatchObject({ code: 0, text: expect.stringContaining('destroyed') });
    expect(world.aws.cloudformation.stacks.find('CdkDemo')).toBeUndefined();
  });
});
