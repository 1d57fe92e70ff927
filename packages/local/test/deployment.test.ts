import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readDeployment } from '../src/local/deployment.ts';

const registration = {
  ASG_NAME: 'builders',
  PLATFORM_API: 'https://api.github.com',
  PLATFORM_ORG: 'acme',
  IDLE_RUNNERS_TARGET: '3',
  ALLOWED_DRAIN_TIME: '600',
  PLATFORM_TOKEN_SECRET_ARN: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:github-token',
};
const lambda = (FunctionName: string, Variables: object) => ({
  Type: 'AWS::Lambda::Function',
  Properties: { FunctionName, Environment: { Variables } },
});
const fleet = (variables: object = registration) => lambda('builders_registration', variables);
const cluster = lambda('logs_cluster_watch', {});

/** A cloud assembly with a stack for each of the given resources. */
function assembly(resources: Readonly<Record<string, object>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'drover-assembly-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const artifacts = Object.keys(resources).map((name) => [
    name,
    {
      type: 'aws:cloudformation:stack',
      environment: 'aws://210987654321/us-east-2',
      properties: { templateFile: `${name}.template.json` },
    },
  ]);
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ artifacts: Object.fromEntries(artifacts) }));
  for (const [name, resource] of Object.entries(resources))
    writeFileSync(join(folder, `${name}.template.json`), JSON.stringify({ Resources: { Function: resource } }));
  return folder;
}

describe('drover local --assembly', () => {
  it('drover local finds the fleet, the cluster, their stacks and the account in the templates of an app', () => {
    const folder = assembly({ runners: fleet(), search: cluster });
    expect(readDeployment(folder)).toEqual({
      assembly: folder,
      fleet: {
        stack: 'runners',
        groupName: 'builders',
        platformApi: 'https://api.github.com',
        platformOrg: 'acme',
        scalingMode: 'idle',
        idleTarget: 3,
        allowedDrainSeconds: 600,
        idleTargetSchedules: [],
        types: [],
        tokenSecret: 'github-token',
      },
      cluster: { stack: 'search', name: 'logs' },
      account: { accountId: '210987654321', region: 'us-east-2' },
    });
  });

  it.each([
    ['the name at the end of a joined ARN', { 'Fn::Join': ['', ['arn:', { Ref: 'P' }, ':secret:token']] }, 'token'],
    ['none, if the secret is a resource of the app', { Ref: 'Secret' }, undefined],
  ])('drover local creates the secret of the token before it deploys: %s', (_, arn, name) => {
    const given = { ...registration, PLATFORM_TOKEN_SECRET_ARN: arn };
    expect(readDeployment(assembly({ runners: fleet(given), search: cluster })).fleet.tokenSecret).toBe(name);
  });

  it.each([
    ['an app without a cluster', { runners: fleet() }, 'the assembly has no SearchCluster'],
    ['two fleets', { one: fleet(), two: fleet(), search: cluster }, 'the assembly has 2 RunnerFleet'],
    [
      'a fleet that is a GitHub App',
      { runners: fleet({ ...registration, PLATFORM_TOKEN_SECRET_ARN: undefined }), search: cluster },
      'the fleet authenticates as a GitHub App',
    ],
    [
      'a fleet of a repository',
      { runners: fleet({ ...registration, PLATFORM_ORG: undefined, PLATFORM_REPOSITORY: 'acme/x' }), search: cluster },
      'the fleet in runners is not of an organisation (PLATFORM_REPOSITORY is set)',
    ],
    [
      'an organisation that is a parameter',
      { runners: fleet({ ...registration, PLATFORM_ORG: { Ref: 'Org' } }), search: cluster },
      'PLATFORM_ORG of the fleet in runners is only known to CloudFormation',
    ],
  ])('drover local refuses %s and says why', (_, resources, message) => {
    expect(() => readDeployment(assembly(resources))).toThrow(message);
  });
});
