/** A test of a user's app in CommonJS, which no tool translates. */
const { GitHubCredentials, GitHubLevel, Network, RunnerFleet } = require('@drover/constructs');
const { App, Stack } = require('aws-cdk-lib');
const { Template } = require('aws-cdk-lib/assertions');

globalThis.test('a fleet is in the template', () => {
  const stack = new Stack(new App(), 'stack');
  new RunnerFleet(stack, 'Fleet', {
    environment: 'production',
    level: GitHubLevel.organization('acme'),
    network: Network.fromIds({ vpcId: 'vpc-0a1b2c3d', subnetIds: ['subnet-0a1b2c3d', 'subnet-1a1b2c3d'] }),
    credentials: GitHubCredentials.tokenFromArn('arn:aws:secretsmanager:eu-west-1:123456789012:secret:token-AbCdEf'),
    runnerSubnetsPrivate: true,
  });
  Template.fromStack(stack).resourceCountIs('AWS::AutoScaling::AutoScalingGroup', 1);
});
