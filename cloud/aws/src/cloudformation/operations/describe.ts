import type { ArnScope } from '../../account/arn.ts';
import { nextTokenPage } from '../../account/paging.ts';
import type { Operations } from '../../account/service.ts';
import type { Stack, StackEvent, StackOutput, StackResource } from '../deploy/model.ts';
import { validationError } from '../errors.ts';
import type { Stacks } from '../state.ts';
import type { ParameterValue } from '../template/parameters.ts';
import { onAnything, onStack } from './permissions.ts';

interface StackName {
  readonly StackName?: string;
  readonly NextToken?: string;
}

/** Most stacks in one page. */
const stacksPerPage = 100;
const badToken = () => validationError('The specified NextToken is not valid.');

/** Reads of stacks, their resources and events. Pages of events and resources are long enough for everything. */
export const describeOperations = (scope: ArnScope, stacks: Stacks): Operations => ({
  DescribeStacks: onStack<StackName, unknown>(scope, 'DescribeStacks', ({ StackName, NextToken }) => {
    const found = StackName === undefined ? living(stacks) : [stacks.get(StackName)];
    const { items, ...next } = nextTokenPage(found, { NextToken }, stacksPerPage, badToken);
    return { Stacks: items.map(stackDescription), ...next };
  }),
  ListStacks: onAnything<{ StackStatusFilter?: readonly string[] }, unknown>('ListStacks', ({ StackStatusFilter }) => ({
    StackSummaries: stacks
      .all()
      .filter(
        (stack) =>
          StackStatusFilter === undefined || StackStatusFilter.length === 0 || StackStatusFilter.includes(stack.status),
      )
      .map(stackSummary),
  })),
  DescribeStackEvents: onStack<StackName, unknown>(scope, 'DescribeStackEvents', ({ StackName }) => {
    const stack = stacks.get(StackName ?? '');
    return { StackEvents: stack.events.toReversed().map((event) => eventDescription(stack, event)) };
  }),
  DescribeStackResources: onStack<StackName & { LogicalResourceId?: string; PhysicalResourceId?: string }, unknown>(
    scope,
    'DescribeStackResources',
    (input) => ({ StackResources: describeResources(stacks, input) }),
  ),
  ListStackResources: onStack<StackName, unknown>(scope, 'ListStackResources', ({ StackName }) => ({
    StackResourceSummaries: [...stacks.get(StackName ?? '').resources.values()].map(resourceSummary),
  })),
});

const living = (stacks: Stacks) => stacks.all().filter((stack) => stack.status !== 'DELETE_COMPLETE');

function describeResources(
  stacks: Stacks,
  input: { StackName?: string; LogicalResourceId?: string; PhysicalResourceId?: string },
): unknown[] {
  const { StackName, LogicalResourceId, PhysicalResourceId } = input;
  const owner =
    StackName === undefined
      ? living(stacks).find((stack) =>
          [...stack.resources.values()].some((each) => each.physicalId === PhysicalResourceId),
        )
      : stacks.get(StackName);
  if (owner === undefined) throw validationError(`Stack for ${PhysicalResourceId} does not exist`);
  return [...owner.resources.values()]
    .filter((each) => LogicalResourceId === undefined || each.logicalId === LogicalResourceId)
    .map((each) => {
      const { LastUpdatedTimestamp: Timestamp, ...summary } = resourceSummary(each);
      return { ...ownerOf(owner), ...summary, Timestamp };
    });
}

const ownerOf = (stack: Stack) => ({ StackName: stack.name, StackId: stack.id });

const resourceSummary = (resource: StackResource) => ({
  LogicalResourceId: resource.logicalId,
  PhysicalResourceId: resource.physicalId,
  ResourceType: resource.type,
  LastUpdatedTimestamp: new Date(resource.updatedAt),
  ResourceStatus: resource.status,
  ResourceStatusReason: resource.statusReason,
  DriftInformation: { StackResourceDriftStatus: 'NOT_CHECKED' },
});

const stackDescription = (stack: Stack) => ({
  StackId: stack.id,
  StackName: stack.name,
  Description: stack.description,
  Parameters: [...stack.parameters.values()].map(parameterDescription),
  CreationTime: new Date(stack.createdAt),
  LastUpdatedTime: stack.updatedAt === undefined ? undefined : new Date(stack.updatedAt),
  DeletionTime: stack.deletedAt === undefined ? undefined : new Date(stack.deletedAt),
  StackStatus: stack.status,
  StackStatusReason: stack.statusReason,
  DisableRollback: stack.disableRollback,
  NotificationARNs: [...stack.notificationArns],
  TimeoutInMinutes: stack.timeoutMinutes,
  Capabilities: [...stack.capabilities],
  ...(stack.outputs.length === 0 ? {} : { Outputs: stack.outputs.map(outputDescription) }),
  RoleARN: stack.roleArn,
  Tags: Object.entries(stack.tags).map(([Key, Value]) => ({ Key, Value })),
  EnableTerminationProtection: stack.terminationProtection,
  DriftInformation: { StackDriftStatus: 'NOT_CHECKED' },
});

const stackSummary = (stack: Stack) => ({
  StackId: stack.id,
  StackName: stack.name,
  TemplateDescription: stack.description,
  CreationTime: new Date(stack.createdAt),
  LastUpdatedTime: stack.updatedAt === undefined ? undefined : new Date(stack.updatedAt),
  DeletionTime: stack.deletedAt === undefined ? undefined : new Date(stack.deletedAt),
  StackStatus: stack.status,
  StackStatusReason: stack.statusReason,
});

/** NoEcho values are shown as asterisks. */
export const parameterDescription = (parameter: ParameterValue) => ({
  ParameterKey: parameter.name,
  ParameterValue: parameter.hidden ? '****' : parameter.given,
  ResolvedValue: parameter.stored === undefined ? undefined : parameter.hidden ? '****' : parameter.stored,
});

const outputDescription = (output: StackOutput) => ({
  OutputKey: output.key,
  OutputValue: output.value,
  Description: output.description,
  ExportName: output.exportName,
});

const eventDescription = (stack: Stack, event: StackEvent) => ({
  StackId: stack.id,
  EventId: event.type === 'AWS::CloudFormation::Stack' ? event.id : `${event.logicalId}-${event.status}-${event.id}`,
  StackName: stack.name,
  LogicalResourceId: event.logicalId,
  PhysicalResourceId: event.physicalId,
  ResourceType: event.type,
  Timestamp: new Date(event.at),
  ResourceStatus: event.status,
  ResourceStatusReason: event.reason,
  ResourceProperties: event.properties === undefined ? undefined : masked(stack, JSON.stringify(event.properties)),
  ClientRequestToken: event.clientRequestToken,
});

/** Values of NoEcho parameters are asterisks wherever they went. */
function masked(stack: Stack, text: string): string {
  const hidden = [...stack.parameters.values()].filter((each) => each.hidden && each.given !== '');
  return hidden.reduce((left, { given }) => left.replaceAll(JSON.stringify(given).slice(1, -1), '****'), text);
}
