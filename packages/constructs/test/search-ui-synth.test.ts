import { moduleVersion } from '@drover/core/names/version';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  KibanaCredentials,
  Network,
  SearchUi,
  type SearchUiProps,
  searchUiOutputs,
  stackOutputName,
  Zone,
} from '../src/index.ts';
import { applyTemplateRules, synthesise, type Template } from './synth.test-support.ts';
import { actionsOf, ingressOf, ofType, statementsOf, text } from './templates.test-support.ts';

applyTemplateRules();

const passwordSecret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:kibana-AbCdEf';
const uiProps: SearchUiProps = {
  version: moduleVersion,
  environment: 'production',
  elasticsearchUrl: 'https://logs-master.search.example.com',
  elasticsearchVersion: '8.19.21',
  credentials: KibanaCredentials.fromSecretIds(passwordSecret),
  zone: Zone.fromIds('Z0123456789ABCDEFGHIJ', 'search.example.com'),
  network: Network.fromIds({
    vpcId: 'vpc-0a1b2c3d4e5f60718',
    subnetIds: ['subnet-0a1b2c3d4e5f60711', 'subnet-0a1b2c3d4e5f60712'],
  }),
  vpcCidrBlock: '10.0.0.0/16',
};

const synthesiseUi = (changes: Partial<SearchUiProps> = {}) =>
  synthesise((stack) => new SearchUi(stack, 'SearchUi', { ...uiProps, ...changes }));

let ui: Template;
beforeAll(() => {
  ui = synthesiseUi();
}, 120_000);

describe('the synthesised web UI', () => {
  it('the template has no findings of the template rules and cdk-nag, with every input too', () => {
    const full = synthesiseUi({
      loadBalancerScheme: 'internet-facing',
      loadBalancerSubnetIds: ['subnet-0a1b2c3d4e5f60714', 'subnet-0a1b2c3d4e5f60715'],
      allowedCidrBlocks: ['0.0.0.0/0'],
      clientSecurityGroupIds: ['sg-0a1b2c3d4e5f60711'],
      taskSecurityGroupIds: ['sg-0a1b2c3d4e5f60712'],
      certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/own',
      accessLogsBucket: 'example-access-logs',
      elasticsearchUrl: 'http://search.internal:9200',
      kibanaVersion: '8.18.3',
      kibanaImage: 'registry.example.com/kibana',
      taskCount: 3,
      taskCpu: 2048,
      taskMemory: 8192,
      architecture: 'arm64',
      alarmEmails: ['ops@example.com'],
      tags: { team: 'search' },
    });

    expect(text(ofType(full, 'AWS::ECS::TaskDefinition'))).toContain('registry.example.com/kibana:8.18.3');
    expect(text(ofType(full, 'AWS::ECS::Service'))).toContain('sg-0a1b2c3d4e5f60712');
    expect(Object.keys(ui.Outputs)).toEqual(Object.keys(searchUiOutputs).map(stackOutputName));
  }, 120_000);

  it('Kibana has the address https://kibana.<zone> and is reached through its load balancer only', () => {
    expect(ui.Outputs.KibanaUrl?.Value).toBe('https://kibana.search.example.com');
    expect(ofType(ui, 'AWS::Route53::RecordSet')[0]?.Properties.Name).toBe('kibana.search.example.com');
    expect(ingressOf(ui, /^tasks of/)).toEqual([
      '5601 from load balancer of the web UI https://kibana.search.example.com',
    ]);
    expect(ingressOf(ui, /^load balancer of/)).toEqual(['443 from 10.0.0.0/16']);
  });

  it('the status of Kibana can be read by the health check without a login in every version', () => {
    expect(text(ofType(ui, 'AWS::ECS::TaskDefinition'))).toContain('{"Name":"STATUS_ALLOWANONYMOUS","Value":"true"}');
  });

  it('Kibana gets its password from Secrets Manager, never as text', () => {
    const [definition] = ofType(ui, 'AWS::ECS::TaskDefinition');
    const [container] = definition!.Properties.ContainerDefinitions as { Environment: unknown; Secrets: unknown }[];

    expect(container?.Secrets).toContainEqual({
      Name: 'ELASTICSEARCH_PASSWORD',
      ValueFrom: passwordSecret,
    });
    expect(text(container?.Environment)).not.toMatch(/PASSWORD|resolve/);
    expect(text(ui)).not.toContain('{{resolve:secretsmanager');
  });

  it('Kibana logs in with a service token instead of user and password when a secret of one is given', () => {
    const tokenSecret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:token-AbCdEf';
    const own = synthesiseUi({ credentials: KibanaCredentials.fromSecretIds(passwordSecret, tokenSecret) });
    const definition = text(ofType(own, 'AWS::ECS::TaskDefinition'));

    expect(definition).toContain(`{"Name":"ELASTICSEARCH_SERVICEACCOUNTTOKEN","ValueFrom":"${tokenSecret}"}`);
    expect(definition).not.toMatch(/ELASTICSEARCH_(USERNAME|PASSWORD)/);
    expect(text(statementsOf(own, 'SearchUiRedeployment'))).toContain(tokenSecret);
    expect(text(own)).not.toContain(passwordSecret);
    // It says which token the tasks have, and cannot make another one current.
    const labels = statementsOf(own, 'SearchUiRedeployment').filter((each) => text(each).includes('VersionStage'));
    expect(labels).toHaveLength(1);
    expect(text(labels[0])).toMatch(/"StringEquals":\{"secretsmanager:VersionStage":\{"Fn::Join":\["",\["USED-BY-",/);
  }, 120_000);

  it('the roles of the web UI may read its secrets and redeploy its service, and nothing else', () => {
    expect(actionsOf(statementsOf(ui, 'SearchUiKibanaExecutionRole'))).toEqual([
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'secretsmanager:GetSecretValue',
    ]);
    expect(actionsOf(statementsOf(ui, 'SearchUiRedeployment'))).toEqual([
      'ecs:DescribeServices',
      'ecs:UpdateService',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'secretsmanager:DescribeSecret',
    ]);
  });
});
