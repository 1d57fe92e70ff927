import {
  DescribeAutoScalingInstancesCommand,
  TerminateInstanceInAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import type { JournalEntry } from '@drover/cloud-engine';
import { clients } from '@drover/cloud-world';
import { tokenSecretName } from '@drover/core/names/runner-fleet';
import type { DeployedFleet } from '@drover/stage/fleet';

const minute = 60_000;

/** One promise of the story and whether it was kept. */
export interface Kept {
  readonly promise: string;
  readonly kept: boolean;
}

/**
 * One runner's life, from the template to its end: launched, registered, in service, given a job, terminated during it,
 * allowed to finish it, deregistered and gone.
 */
export async function playOneRunner(fleet: DeployedFleet, say: (line: string) => void): Promise<readonly Kept[]> {
  const aws = clients(fleet.world);
  const { registry } = fleet.codeHost;
  const narrator = narrate(fleet, say);
  say('deploying the template to the embedded cloud');
  await fleet.deploy();
  await fleet.until(
    'a runner is online',
    () => registry.runners.some(({ session }) => session !== undefined),
    30 * minute,
  );
  const runner = registry.runners.find(({ session }) => session !== undefined)!;
  const instanceId = runner.name;
  const secretGone = !fleet.world.observe.secretNames().includes(tokenSecretName(fleet.groupName, instanceId));

  say('a job of six minutes is queued');
  const job = registry.queue.enqueue({ durationMs: 6 * minute });
  await fleet.until('the job runs', () => job.state === 'running', 5 * minute);
  // Long enough for the agent to notice its Worker and to protect the instance from scale-in.
  await fleet.drive(fleet.clock.sleep(minute / 2), minute);
  say(`the operator terminates ${instanceId} while its job runs`);
  await fleet.drive(
    aws.autoscaling.send(
      new TerminateInstanceInAutoScalingGroupCommand({ InstanceId: instanceId, ShouldDecrementDesiredCapacity: false }),
    ),
    minute,
  );
  await fleet.drive(fleet.clock.sleep(2 * minute), 3 * minute);
  const { AutoScalingInstances } = await fleet.drive(
    aws.autoscaling.send(new DescribeAutoScalingInstancesCommand({ InstanceIds: [instanceId] })),
    minute,
  );
  const waited = AutoScalingInstances?.[0]?.LifecycleState === 'Terminating:Wait' && job.state === 'running';
  const instance = () => fleet.world.observe.instance(instanceId);
  await fleet.until(
    'the instance is terminated',
    () => instance() === undefined || instance()?.state === 'terminated',
    30 * minute,
  );
  narrator.stop();
  return [
    { promise: 'the registration token was deleted after its use', kept: secretGone },
    { promise: 'the instance waited in Terminating:Wait while its job ran', kept: waited },
    { promise: 'the job was completed, not killed', kept: job.state === 'completed' },
    {
      promise: 'the runner is gone from the platform',
      kept: registry.runners.every(({ name }) => name !== instanceId),
    },
    { promise: 'the instance is terminated', kept: instance()?.state === 'terminated' },
    {
      promise: 'no registration token is left behind',
      kept: !fleet.world.observe.secretNames().some((name) => name.includes(instanceId)),
    },
    { promise: 'IAM refused nothing that the programs needed', kept: narrator.refusals.length === 0 },
  ];
}

/** Narrates what the journal records, in the words of the specification. */
function narrate(fleet: DeployedFleet, say: (line: string) => void) {
  const refusals: JournalEntry[] = [];
  const stop = fleet.world.engine.journal.subscribe((entry) => {
    if (entry.kind === 'request' && /AccessDenied|UnauthorizedOperation/.test(String(entry.detail?.error)))
      refusals.push(entry);
    const line = sentence(entry);
    if (line !== undefined) say(line);
  });
  return { refusals, stop };
}

const told = new Set([
  'CreateSecret',
  'DeleteSecret',
  'CompleteLifecycleAction',
  'SetInstanceProtection',
  'SendCommand',
]);

function sentence(entry: JournalEntry): string | undefined {
  const { source, name, subject = '', detail = {} } = entry;
  if (source === 'aws.autoscaling' && entry.kind === 'transition') return `group     ${subject}  ${name}`;
  if (source === 'platform.runner') return `platform  runner ${subject} ${name}`;
  if (source === 'platform.job') return `platform  ${subject} ${name}`;
  if (source === 'aws.cloudformation' && entry.kind === 'transition' && !subject.includes('/'))
    return `stack     ${subject} ${name}`;
  // A hook that is completed twice is refused, harmlessly: not part of the story.
  if (entry.kind === 'request' && told.has(name) && detail.error === undefined)
    return `call      ${name} by ${String(detail.by).split('/').at(-1)}`;
  return undefined;
}
