import type { DeployContext, ResourceStatus, Run, Stack, StackResource, StackStatus } from './model.ts';

/** Moves a stack to a status, with its event. */
export function recordStack(
  run: Pick<Run, 'context' | 'stack' | 'clientRequestToken'>,
  status: StackStatus,
  reason?: string,
): void {
  const { context, stack } = run;
  journal(context, `${stack.status} -> ${status}`, stack.name, reason);
  stack.status = status;
  if (reason === undefined) delete stack.statusReason;
  else stack.statusReason = reason;
  addEvent(run, { logicalId: stack.name, physicalId: stack.id, type: 'AWS::CloudFormation::Stack', status }, reason);
}

/** Moves a resource to a status, with its event. */
export function recordResource(run: Run, resource: StackResource, status: ResourceStatus, reason?: string): void {
  const { logicalId, physicalId = '', type, properties } = resource;
  journal(run.context, `${resource.status} -> ${status}`, `${run.stack.name}/${logicalId}`, reason);
  resource.status = status;
  resource.updatedAt = run.context.clock.now();
  if (reason === undefined) delete resource.statusReason;
  else resource.statusReason = reason;
  addEvent(run, { logicalId, physicalId, type, status, properties }, reason);
}

type NewEvent = Pick<Stack['events'][number], 'logicalId' | 'physicalId' | 'type' | 'status' | 'properties'>;

function addEvent(run: Pick<Run, 'context' | 'stack' | 'clientRequestToken'>, event: NewEvent, reason?: string): void {
  run.stack.events.push({
    ...event,
    id: run.context.random.uuid(),
    at: nextMoment(run),
    ...(reason === undefined ? {} : { reason }),
    ...(run.clientRequestToken === undefined ? {} : { clientRequestToken: run.clientRequestToken }),
  });
}

/** No two events of a stack have the same time, so that clients which sort by it show them in order. */
const nextMoment = ({ context, stack }: Pick<Run, 'context' | 'stack'>): number =>
  Math.max(context.clock.now(), (stack.events.at(-1)?.at ?? 0) + 1);

function journal(context: DeployContext, name: string, subject: string, reason?: string): void {
  context.journal.record({
    kind: 'transition',
    source: 'aws.cloudformation',
    name,
    subject,
    ...(reason === undefined ? {} : { detail: { reason } }),
  });
}
