/** A test of a user's app in TypeScript: what only TypeScript has of the package, and the types that it had before it was for every language. */
import {
  type ExtraFile,
  type FunctionsBySuffix,
  GitHubCredentials,
  GitHubLevel,
  InputError,
  type InputProblem,
  Network,
  RunnerFleet,
  type RunnerFleetProps,
  runnerFleetOutputs,
  type SettingValue,
  stackOutputName,
} from '@drover/constructs';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';

declare function test(title: string, body: () => void): void;

const settings: readonly SettingValue[] = ['20%', 1, true, ['a', 'b']];
const file: ExtraFile = { content: 'x', owner: undefined };
const props: RunnerFleetProps = {
  environment: 'production',
  level: GitHubLevel.organization('acme'),
  network: Network.fromIds({ vpcId: 'vpc-0a1b2c3d', subnetIds: ['subnet-0a1b2c3d', 'subnet-1a1b2c3d'] as const }),
  credentials: GitHubCredentials.tokenFromArn('arn:aws:secretsmanager:eu-west-1:123456789012:secret:token-AbCdEf'),
  runnerSubnetsPrivate: true,
  scalingMode: 'jobs',
  extraFiles: { '/etc/a': file, '/etc/b': String(settings.length) },
  groupName: undefined,
};

function expectTrue(what: string, value: boolean): void {
  if (!value) throw new Error(what);
}

test('a fleet is in the template, and its members have their types', () => {
  const stack = new Stack(new App(), 'stack');
  const fleet = new RunnerFleet(stack, 'Fleet', props);
  const functions: FunctionsBySuffix<IFunction> = fleet.functions;
  Template.fromStack(stack).resourceCountIs('AWS::AutoScaling::AutoScalingGroup', 1);
  Template.fromStack(stack).hasOutput(stackOutputName('module_version'), {});
  expectTrue('demand', functions.demand !== undefined);
  expectTrue('outputs', runnerFleetOutputs.module_version === 'version of this module');
  expectTrue('kind', props.level.kind === 'org' && props.level instanceof GitHubLevel);
});

test('a wrong input is an InputError with its problems', () => {
  let problems: readonly InputProblem[] = [];
  try {
    new RunnerFleet(new Stack(new App(), 'stack'), 'Fleet', { ...props, scalingMode: 'idle', asgMinSize: 2.5 });
  } catch (error) {
    if (error instanceof InputError) problems = error.problems;
  }
  expectTrue(
    'asgMinSize',
    problems.some(({ key }) => key === 'asgMinSize'),
  );
});
