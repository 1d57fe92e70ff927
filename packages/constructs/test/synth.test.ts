import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, it } from 'vitest';
import type { RunnerFleetProps } from '../src/index.ts';
import { example, exampleContext, readTemplate, synthesise, synthesiseFleet } from './synth.test-support.ts';

const subnetIds = ['subnet-0a1b2c3d4e5f60711', 'subnet-0a1b2c3d4e5f60712'];
const arn = (service: string, rest: string) => `arn:aws:${service}:eu-west-1:123456789012:${rest}`;

/** Each turns on a part of the template that the others lack. */
const variants: Readonly<Record<string, Partial<RunnerFleetProps>>> = {
  'the example': {},
  'no warm pool': { warmPoolMaxSize: 0 },
  'a warm pool of its own size': { warmPoolMinSize: 3, warmPoolMaxSize: 12 },
  'spot above an on-demand base': { onDemandBaseCapacity: 2, instanceTypes: ['t3a.medium', 't3.medium'] },
  'an app that authenticates': {
    platformTokenSecretArn: undefined,
    platformAppId: '4711',
    platformAppPemSecretArn: arn('secretsmanager', 'secret:app-key-AbCdEf'),
  },
  'a runner group': { runnerGroup: 'builders' },
  'an Enterprise Server': { platformApi: 'https://github.example.com:8443/api/v3' },
  'everything else': {
    subnetIds,
    lambdaSubnetIds: undefined,
    runnerSubnetsPrivate: true,
    groupName: 'builders',
    asgMinSize: 0,
    architecture: 'arm64',
    amiId: 'ami-0123456789abcdef0',
    rootVolumeSize: 50,
    maxInstanceLifetimeDays: 0,
    extraLabels: ['gpu', 'eu'],
    runnerReleaseDate: undefined,
    packages: ['runner-data'],
    puppetHieraConfigPath: '/opt/runner-data/hiera.yaml',
    extraFiles: { '/etc/motd': 'hello' },
    extraRepos: { tools: 'deb https://packages.example.com stable main' },
    postRuncmd: ['touch /var/lib/ready'],
    extraPolicies: ['arn:aws:iam::123456789012:policy/builders'],
    alarmEmails: ['ops@example.com'],
    alarmTopicArns: [arn('sns', 'pager')],
    functionLogPrefix: '/fleet',
    logRetentionDays: 30,
    vendor: 'Example',
    tags: { team: 'build' },
  },
};

describe('a synthesised fleet', () => {
  it.each(Object.entries(variants))('has no finding of the template rules nor of cdk-nag with %s', (_, changes) => {
    expect(Object.keys(synthesiseFleet(changes).Resources).length).toBeGreaterThan(40);
  });

  it('is refused for a value that AWS would refuse', () => {
    const faulty = () => synthesise((stack) => new CfnQueue(stack, 'Queue', { delaySeconds: -1 }));

    expect(faulty).toThrow(/DelaySeconds|delay/i);
  });

  it('is refused for a finding of cdk-nag that nobody has given a reason for', () => {
    expect(() => synthesise((stack) => new Bucket(stack, 'Open'))).toThrow(/AwsSolutions-S1: .*Open/);
  });
});

describe('the network of the functions', () => {
  const ports = (platformApi: string) =>
    Object.values(synthesiseFleet({ platformApi }).Resources)
      .filter(({ Properties }) => /^functions of/.test(String(Properties?.GroupDescription)))
      .flatMap(({ Properties }) => Properties.SecurityGroupEgress as { ToPort: number }[])
      .map(({ ToPort }) => ToPort);

  it.each([
    ['https://api.github.com', [443]],
    ['https://github.example.com:8443/api/v3', [443, 8443]],
    ['http://github.example.com/api/v3', [443, 80]],
  ])('lets them reach AWS and %s only', (platformApi, expected) => {
    expect(ports(platformApi)).toEqual(expected);
  });
});

describe('examples/runner-fleet', () => {
  it('synthesises to the template that was last looked at, without any network', async () => {
    const template = await synthesiseExample();

    await expect(`${JSON.stringify(template, null, 2)}\n`).toMatchFileSnapshot(join(example, 'template.snap.json'));
  });
});

/** Runs the app as the `cdk` command does: it finds its folder and its context in the environment. */
async function synthesiseExample() {
  const outdir = mkdtempSync(join(tmpdir(), 'drover-example-'));
  Object.assign(process.env, { CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(exampleContext) });
  await import(join(example, 'app.ts'));
  return withoutHashes(readTemplate(outdir));
}

/** A change of a program changes the hash of its package; the template is the same. */
const withoutHashes = (template: unknown): unknown =>
  JSON.parse(JSON.stringify(template).replaceAll(/\b[0-9a-f]{64}\b/g, '<sha256>'));
