import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { beforeAll, describe, expect, it } from 'vitest';
import { nodeRuntime } from './node-runtime.ts';
import { sha256 } from './pack.ts';
import { BootSoftware } from './software.ts';

interface FileAsset {
  readonly source: { readonly path?: string; readonly executable?: readonly string[] };
  readonly destinations: Readonly<Record<string, { readonly objectKey: string }>>;
}

describe('software that comes with the stack', () => {
  let software: BootSoftware;
  let stack: Stack;
  let directory: string;
  let files: readonly FileAsset[];
  beforeAll(() => {
    const app = new App();
    stack = new Stack(app, 'stack');
    software = new BootSoftware(stack, 'Software', {
      architecture: 'arm64',
      programs: { 'runner-agent': 'apps/runner-agent/dist' },
    });
    software.grantRead(new Role(stack, 'Role', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') }));
    const assembly = app.synth();
    directory = assembly.directory;
    const manifest = JSON.parse(readFileSync(join(directory, 'stack.assets.json'), 'utf8'));
    files = Object.values(manifest.files as Record<string, FileAsset>);
  });
  const published = (key: RegExp) =>
    files.find(({ destinations }) => key.test(Object.values(destinations)[0]!.objectKey));

  it('knows the checksum of the very file that is published', () => {
    const { source } = published(/\.tar$/)!;

    expect(sha256(readFileSync(join(directory, source.path!)))).toBe(software.assets[0]!.sha256);
  });

  it('leaves the pinned Node of the architecture to be fetched when it is published', () => {
    const { checksum, command } = nodeRuntime('arm64');

    expect(published(new RegExp(checksum))!.source.executable).toEqual(command);
    expect(software.assets[1]).toMatchObject({ sha256: checksum, prefix: 'package/bin/', into: 'node/bin' });
    expect(checksum).not.toBe(nodeRuntime('x86_64').checksum);
  });

  it('software of the stack can be read by the role, object by object, and nothing else of the bucket', () => {
    const [policy] = Object.values(Template.fromStack(stack).findResources('AWS::IAM::Policy'));

    const [statement, ...others] = policy!.Properties.PolicyDocument.Statement;
    const resources = JSON.stringify(statement.Resource);
    expect(others).toEqual([]);
    expect(statement.Action).toBe('s3:GetObject');
    expect(statement.Resource).toHaveLength(2);
    const keys = files.map(({ destinations }) => Object.values(destinations)[0]!.objectKey);
    for (const key of keys.filter((key) => !key.endsWith('.json'))) expect(resources).toContain(`/${key}`);
    expect(resources).not.toContain('*');
  });
});
