import { GitHubCredentials, GitHubLevel, RunnerFleet } from '@drover/constructs';
import { groupNameMaxLength, environment as keys } from '@drover/core/names/runner-fleet';
import { Aws, CfnCondition, CfnRule, Fn, type ICfnRuleConditionExpression, type Stack } from 'aws-cdk-lib';
import { CfnAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Parameters } from './parameters.ts';
import {
  type Architecture,
  environmentOf,
  every,
  groups,
  instanceTypeShape,
  networkOf,
  optionalSecret,
  setInstanceType,
  showFiles,
} from './shared.ts';

/** A fleet that is called as its stack unless a parameter says otherwise. */
export function runnerFleet(stack: Stack, architecture: Architecture): void {
  const parameters = new Parameters(stack);
  const groupName = groupNameOf(stack, parameters);
  const environment = environmentOf(parameters);
  const credentials = credentialsOf(stack, parameters);
  const fleet = new RunnerFleet(stack, 'RunnerFleet', {
    groupName,
    environment,
    architecture,
    level: credentials.level,
    credentials: credentials.asToken,
    network: networkOf(parameters),
    runnerSubnetsPrivate: true,
    asgMinSize: 3,
    asgMaxSize: 6,
    idleRunnersTargetCount: 1,
  });
  for (const fn of every(fleet, CfnFunction))
    for (const [key, value] of Object.entries(credentials.variables))
      fn.addPropertyOverride(`Environment.Variables.${key}`, value);
  const [group] = every(fleet, CfnAutoScalingGroup);
  group!.minSize = parameters.add(groups.size, 'MinSize', {
    label: 'Minimum number of runners',
    type: 'Number',
    description: 'How many runners there are at least',
    default: 3,
    minValue: 0,
  });
  group!.maxSize = parameters.add(groups.size, 'MaxSize', {
    label: 'Maximum number of runners',
    type: 'Number',
    description: 'How many runners there are at most',
    default: 6,
    minValue: 1,
  });
  const type = parameters.add(groups.size, 'InstanceType', {
    label: 'Instance type',
    description: `Instance type of the runners (${architecture})`,
    default: architecture === 'arm64' ? 't4g.medium' : 't3a.medium',
    ...instanceTypeShape,
  });
  setInstanceType(fleet, type);
  showFiles(stack, parameters);
  parameters.describe(`Drover: a fleet of self-hosted GitHub Actions runners (${architecture})`);
}

function groupNameOf(stack: Stack, parameters: Parameters): string {
  const given = parameters.add(groups.names, 'GroupName', {
    label: 'Name of the fleet',
    description: `Name of the fleet, which no other one of the account and region has; empty: the name of the stack (at most ${groupNameMaxLength} characters)`,
    default: '',
    allowedPattern: `[A-Za-z0-9_-]{0,${groupNameMaxLength}}`,
    constraintDescription: `letters, digits, - and _, at most ${groupNameMaxLength}`,
  });
  const named = new CfnCondition(stack, 'HasGroupName', { expression: Fn.conditionNot(Fn.conditionEquals(given, '')) });
  return Fn.conditionIf(named.logicalId, given, Aws.STACK_NAME).toString();
}

const isEmpty = (value: string) => Fn.conditionEquals(value, '');
const isGiven = (value: string) => Fn.conditionNot(isEmpty(value));
const all = (...conditions: ICfnRuleConditionExpression[]) => Fn.conditionAnd(...conditions);

/** A token or a GitHub App, whichever has values. */
function credentialsOf(stack: Stack, parameters: Parameters) {
  const level = GitHubLevel.organization(
    parameters.add(groups.github, 'PlatformOrg', {
      label: 'Organisation',
      description: 'GitHub organisation that the runners belong to',
      allowedPattern: '[A-Za-z0-9-]+',
      constraintDescription: 'give the name of an organisation',
    }),
  );
  const appId = parameters.add(groups.github, 'PlatformAppId', {
    label: 'Id of the GitHub App',
    description: 'The app that authenticates, with the secret of its key; empty: a token does',
    default: '',
    allowedPattern: '[0-9]*',
    constraintDescription: 'give digits',
  });
  const appKey = parameters.add(groups.github, 'PlatformAppPemSecretArn', {
    label: 'Secret with the key of the GitHub App',
    description: 'ARN of the secret with the private key of the app (PEM); empty: a token authenticates',
    ...optionalSecret,
  });
  const token = parameters.add(groups.github, 'PlatformTokenSecretArn', {
    label: 'Secret with a token, instead of an app',
    description: 'ARN of the secret with a personal access token that has the scope admin:org; empty: an app does',
    ...optionalSecret,
  });
  new CfnRule(stack, 'OneKindOfCredentials', {
    assertions: [
      {
        assert: Fn.conditionOr(
          all(isGiven(token), isEmpty(appId), isEmpty(appKey)),
          all(isEmpty(token), isGiven(appId), isGiven(appKey)),
        ),
        assertDescription:
          'give PlatformAppId and PlatformAppPemSecretArn of a GitHub App, or PlatformTokenSecretArn, and not both',
      },
    ],
  });
  const byApp = new CfnCondition(stack, 'ByApp', { expression: isGiven(appId) }).logicalId;
  return {
    level,
    // The policies allow to read one secret, whichever kind it is.
    asToken: GitHubCredentials.tokenFromArn(Fn.conditionIf(byApp, appKey, token).toString()),
    variables: {
      [keys.platformTokenSecret]: Fn.conditionIf(byApp, Aws.NO_VALUE, token),
      [keys.platformAppId]: Fn.conditionIf(byApp, appId, Aws.NO_VALUE),
      [keys.platformAppPemSecret]: Fn.conditionIf(byApp, appKey, Aws.NO_VALUE),
    },
  };
}
