import { readFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { describe, expect, it } from 'vitest';
import {
  GitHubCredentials,
  GitHubLevel,
  KibanaCredentials,
  Network,
  RunnerFleet,
  SearchCluster,
  SearchUi,
  Zone,
} from '../src/index.ts';

const stack = new Stack(new App(), 'stack');
const vpc = new Vpc(stack, 'Vpc');
const hostedZone = new PublicHostedZone(stack, 'Zone', { zoneName: 'search.example.com' });

/** Each example as it stands in the TSDoc of its class: compiled by `npm run types`, and run here. */
const examples = {
  'props/network': () => {
    Network.fromIds({
      vpcId: 'vpc-0a1b2c3d4e5f60718',
      subnetIds: ['subnet-0a1b2c3d4e5f60711', 'subnet-0a1b2c3d4e5f60712'],
    });
  },
  'props/zone': () => {
    Zone.fromIds('Z0123456789ABCDEFGHIJ', 'search.example.com');
  },
  'props/github-level': () => {
    GitHubLevel.repository('example-org/app');
  },
  'props/github-credentials': () => {
    GitHubCredentials.appFromArn('4711', 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:app-key-AbCdEf');
  },
  'props/kibana-credentials': () => {
    KibanaCredentials.fromSecretIds('arn:aws:secretsmanager:eu-west-1:123456789012:secret:kibana-AbCdEf');
  },
  'runner-fleet/runner-fleet': () => {
    new RunnerFleet(stack, 'Fleet', {
      environment: 'production',
      level: GitHubLevel.organization('example-org'),
      network: Network.fromVpc(vpc),
      credentials: GitHubCredentials.token(Secret.fromSecretNameV2(stack, 'Token', 'github-token')),
      idleRunnersTargetCount: 2,
    });
  },
  'search-cluster/search-cluster': () => {
    new SearchCluster(stack, 'Cluster', {
      environment: 'production',
      clusterName: 'logs',
      network: Network.fromVpc(vpc),
      zone: Zone.fromHostedZone(hostedZone),
    });
  },
  'search-ui/search-ui': () => {
    const cluster = stack.node.findChild('Cluster') as SearchCluster;
    new SearchUi(stack, 'Kibana', {
      environment: 'production',
      version: '0.2.0-dev',
      network: Network.fromVpc(vpc),
      zone: Zone.fromHostedZone(hostedZone),
      elasticsearchUrl: cluster.clusterMasterUrl,
      elasticsearchVersion: cluster.elasticsearchVersion,
      credentials: KibanaCredentials.fromSecretIds(cluster.kibanaSystemSecretId),
    });
  },
};

const words = (code: string) => code.replaceAll(/\s+|,(?=\s*[)}\]])/g, '');

describe('the examples of the constructs in their TSDoc', () => {
  it.each(Object.entries(examples))('the TSDoc of %s has an example that compiles and runs', (path, example) => {
    const own = readFileSync(import.meta.filename, 'utf8');
    const source = readFileSync(new URL(`../src/${path}.ts`, import.meta.url), 'utf8');
    const shown = /@example\n \* ```ts\n([\s\S]*?) \* ```/.exec(source)?.[1]?.replaceAll(/^ \* /gm, '');

    expect(shown).toBeDefined();
    expect(words(own)).toContain(words(shown!));
    example();
  });
});
