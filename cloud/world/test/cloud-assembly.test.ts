import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteStackCommand } from '@aws-sdk/client-cloudformation';
import { GetRoleCommand } from '@aws-sdk/client-iam';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { stackWorld } from '@drover/cloud-aws/testing';
import { ScaledClock } from '@drover/core';
import { App, CfnOutput, CfnParameter, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Code, Function as LambdaFn, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { zipDirectory } from '../src/assembly/assets.ts';
import { deployCloudAssembly } from '../src/assembly/cloud-assembly.ts';
import { World } from '../src/world.ts';

let directory: string;
beforeEach(() => {
  process.env.CDK_VALIDATION = 'false';
  directory = mkdtempSync(join(tmpdir(), 'assembly-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A small app as people write them: a role, a function, a bucket, a rule and a parameter. */
function synthesise(greeting: string): string {
  const outdir = mkdtempSync(join(directory, 'out-'));
  const app = new App({ outdir, analyticsReporting: false });
  const stack = new Stack(app, 'Demo', { description: greeting });
  const who = new CfnParameter(stack, 'Who', { default: 'world' });
  const fn = new LambdaFn(stack, 'Greet', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline(
      `exports.handler = async () => process.env.GREETING + ', ' + process.env.WHO + ' in ' + process.env.BUCKET;`,
    ),
    environment: { GREETING: greeting, WHO: who.valueAsString },
    timeout: Duration.seconds(10),
  });
  const bucket = new Bucket(stack, 'Data', { removalPolicy: RemovalPolicy.DESTROY, enforceSSL: true });
  bucket.grantRead(fn);
  fn.addEnvironment('BUCKET', bucket.bucketName);
  new Rule(stack, 'Hourly', { schedule: Schedule.rate(Duration.hours(1)), targets: [new LambdaFunction(fn)] });
  new StringParameter(stack, 'Place', { parameterName: '/demo/bucket', stringValue: bucket.bucketName });
  new CfnOutput(stack, 'BucketName', { value: bucket.bucketName });
  new CfnOutput(stack, 'FunctionName', { value: fn.functionName });
  new CfnOutput(stack, 'RoleName', { value: fn.role!.roleName });
  app.synth();
  return outdir;
}

describe('a real CDK app', () => {
  it('a CDK app is deployed from its cloud assembly, updated, left unchanged and deleted', async () => {
    const { world, sdk, during, rest, describe: describeStack } = stackWorld();

    const [created] = await during(deployCloudAssembly(world, synthesise('Hello'), { parameters: { Who: 'moon' } }));

    const { BucketName, FunctionName, RoleName } = created!.outputs;
    await sdk.s3.send(new HeadBucketCommand({ Bucket: BucketName }));
    await sdk.iam.send(new GetRoleCommand({ RoleName }));
    const parameter = await sdk.ssm.send(new GetParameterCommand({ Name: '/demo/bucket' }));
    expect(parameter.Parameter?.Value).toBe(BucketName);
    const greet = async () => {
      const { Payload } = await during(sdk.lambda.send(new InvokeCommand({ FunctionName })));
      return JSON.parse(Buffer.from(Payload!).toString());
    };
    expect(await greet()).toBe(`Hello, moon in ${BucketName}`);

    const [updated] = await during(deployCloudAssembly(world, synthesise('Welcome')));
    expect(updated).toEqual({ ...created, changed: true });
    expect(await greet()).toBe(`Welcome, moon in ${BucketName}`);

    const [again] = await during(deployCloudAssembly(world, synthesise('Welcome')));
    expect(again?.changed).toBe(false);

    await sdk.cloudformation.send(new DeleteStackCommand({ StackName: 'Demo' }));
    await rest();
    expect((await describeStack(created!.stackId)).StackStatus).toBe('DELETE_COMPLETE');
    await expect(sdk.s3.send(new HeadBucketCommand({ Bucket: BucketName }))).rejects.toThrow();
    await expect(sdk.iam.send(new GetRoleCommand({ RoleName }))).rejects.toThrow();
  });

  it('uploads file assets as zips that are the same every time', async () => {
    const { world, during } = stackWorld();
    writeFileSync(join(directory, 'index.js'), 'exports.handler = async () => 42;');
    const outdir = mkdtempSync(join(tmpdir(), 'out-'));
    const app = new App({ outdir, analyticsReporting: false });
    const stack = new Stack(app, 'Assets');
    new LambdaFn(stack, 'Fn', {
      runtime: Runtime.NODEJS_22_X,
      handler: 'index.handler',
      code: Code.fromAsset(directory),
    });
    app.synth();

    const [deployed] = await during(deployCloudAssembly(world, outdir));

    rmSync(outdir, { recursive: true });
    expect(deployed?.stackName).toBe('Assets');
    const bucket = world.aws.s3.storage.bucket('cdk-hnb659fds-assets-123456789012-eu-west-1');
    expect([...bucket.objects.keys()].filter((key) => key.endsWith('.zip'))).toHaveLength(1);
  });

  it('a function whose code is not world-readable is deployed as CDK packs it, and fails when it is invoked', async () => {
    const { world, during, sdk } = stackWorld();
    writeFileSync(join(directory, 'index.js'), 'exports.handler = async () => 42;', { mode: 0o600 });
    const outdir = mkdtempSync(join(tmpdir(), 'out-'));
    const app = new App({ outdir, analyticsReporting: false });
    const code = Code.fromAsset(directory);
    const runtime = Runtime.NODEJS_22_X;
    new LambdaFn(new Stack(app, 'Assets'), 'Fn', { functionName: 'fn', runtime, handler: 'index.handler', code });
    app.synth();
    await during(deployCloudAssembly(world, outdir));
    rmSync(outdir, { recursive: true });

    const { Payload } = await during(sdk.lambda.send(new InvokeCommand({ FunctionName: 'fn' })));

    expect(JSON.parse(Buffer.from(Payload!).toString())).toMatchObject({
      errorType: 'Error',
      errorMessage: "EACCES: permission denied, open '/var/task/index.js'",
    });
  });

  it('a zip of a folder has the same bytes whatever the umask was when its files were written', () => {
    const written = [0o600, 0o640, 0o644, 0o664].map((mode) => {
      const folder = mkdtempSync(join(directory, 'modes-'));
      writeFileSync(join(folder, 'index.js'), 'exports.handler = async () => 42;');
      writeFileSync(join(folder, 'run'), '#!/bin/sh');
      chmodSync(join(folder, 'index.js'), mode);
      chmodSync(join(folder, 'run'), mode | 0o100);
      return Buffer.from(zipDirectory(folder)).toString('base64');
    });
    expect(new Set(written).size).toBe(1);
  });

  it('an asset that a command makes has its content only when such commands may run, and is a stand-in otherwise', async () => {
    const made = join(directory, 'made');
    writeFileSync(made, 'by a command');
    const outdir = mkdtempSync(join(directory, 'out-'));
    const app = new App({ outdir, analyticsReporting: false });
    const stack = new Stack(app, 'Made');
    new StringParameter(stack, 'Something', { stringValue: 'x' });
    const executable = [process.execPath, '-e', `console.log(${JSON.stringify(made)})`];
    stack.synthesizer.addFileAsset({ sourceHash: 'a'.repeat(64), executable });
    app.synth();
    const { world, during } = stackWorld();
    const published = async (assetCommands: boolean) => {
      await during(deployCloudAssembly(world, outdir, { assetCommands }));
      const bucket = world.aws.s3.storage.bucket('cdk-hnb659fds-assets-123456789012-eu-west-1');
      const [, [object] = []] = [...bucket.objects].find(([key]) => key.startsWith('aaaa')) ?? [];
      return Buffer.from(bucket.objects.get(object!.key)!.at(-1)!.body).toString();
    };

    expect(await published(false)).toBe('made by a command, which did not run');
    expect(await published(true)).toBe('by a command');
  });

  it('a CDK app is deployed on a running clock, by the same steps for the same seed', async () => {
    const assembly = synthesise('Hello');
    const running = new World({ clock: new ScaledClock({ speed: 100 }) });
    expect(await deployCloudAssembly(running, assembly)).toMatchObject([{ stackName: 'Demo', changed: true }]);

    const digests: string[] = [];
    for (let round = 0; round < 2; round++) {
      const { world, during } = stackWorld();
      await during(deployCloudAssembly(world, assembly));
      digests.push(world.engine.journal.digest);
    }
    expect(digests[0]).toBe(digests[1]);
  });

  it('takes values from stacks that it needs, and can be asked for by name', async () => {
    const { world, during } = stackWorld();
    const outdir = mkdtempSync(join(directory, 'out-'));
    const app = new App({ outdir, analyticsReporting: false });
    const bucket = new Bucket(new Stack(app, 'Giver'), 'Data', { bucketName: 'shared-data' });
    const taker = new Stack(app, 'Taker');
    new StringParameter(taker, 'Arn', { parameterName: '/taken', stringValue: bucket.bucketArn });
    new Stack(app, 'Other');
    app.synth();

    const deployed = await during(deployCloudAssembly(world, outdir, { stackName: 'Taker' }));

    expect(deployed.map((each) => each.stackName)).toEqual(['Giver', 'Taker']);
    expect(world.aws.ssm.parameter('/taken')).toBe('arn:aws:s3:::shared-data');
    await expect(deployCloudAssembly(world, outdir, { stackName: 'None' })).rejects.toThrow(
      'has no stack None; it has',
    );
  });

  it('fails with the events that say why', async () => {
    const { world, during } = stackWorld();
    const outdir = mkdtempSync(join(directory, 'out-'));
    const app = new App({ outdir, analyticsReporting: false });
    const stack = new Stack(app, 'Broken');
    new Bucket(stack, 'Good', { bucketName: 'good-bucket' });
    new Bucket(stack, 'Twin', { bucketName: 'good-bucket' });
    app.synth();

    await expect(during(deployCloudAssembly(world, outdir))).rejects.toThrow(
      /stack Broken is ROLLBACK_COMPLETE:\n {2}(Good|Twin)\w+ \(AWS::S3::Bucket\) CREATE_FAILED: .*already own it/,
    );
  });
});
