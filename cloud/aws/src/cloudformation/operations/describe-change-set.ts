import type { ChangeSet } from '../change-sets.ts';
import type { PlannedChange } from '../deploy/plan.ts';
import { parameterDescription } from './describe.ts';

/** The response of DescribeChangeSet. */
export const describeChangeSet = (changeSet: ChangeSet) => ({
  ...summarizeChangeSet(changeSet),
  Parameters: [...changeSet.deployment.parameters.values()].map(parameterDescription),
  Capabilities: [...(changeSet.input.Capabilities ?? [])],
  Tags: [...(changeSet.input.Tags ?? [])],
  NotificationARNs: [...(changeSet.input.NotificationARNs ?? [])],
  Changes: changeSet.changes.map((change) => ({ Type: 'Resource', ResourceChange: describeChange(change) })),
});

/** The part of it that ListChangeSets returns too. */
const summarizeChangeSet = (changeSet: ChangeSet) => ({
  ChangeSetName: changeSet.name,
  ChangeSetId: changeSet.id,
  StackId: changeSet.stack.id,
  StackName: changeSet.stack.name,
  Description: changeSet.input.Description,
  CreationTime: new Date(changeSet.createdAt),
  ExecutionStatus: changeSet.executionStatus,
  Status: changeSet.status,
  StatusReason: changeSet.statusReason,
  IncludeNestedStacks: false,
});

const describeChange = (change: PlannedChange) => ({
  Action: change.action,
  LogicalResourceId: change.logicalId,
  PhysicalResourceId: change.physicalId,
  ResourceType: change.type,
  Replacement: change.replacement,
  Scope:
    change.action === 'Modify'
      ? [...new Set(change.changes.map(({ name }) => (isTags(name) ? 'Tags' : 'Properties')))]
      : [],
  Details: change.changes.map(({ name, requiresRecreation }) => ({
    Target: isTags(name)
      ? { Attribute: 'Tags', RequiresRecreation: requiresRecreation }
      : { Attribute: 'Properties', Name: name, RequiresRecreation: requiresRecreation },
    Evaluation: 'Static',
    ChangeSource: 'DirectModification',
  })),
});

const isTags = (name: string) => name === 'Tags';
