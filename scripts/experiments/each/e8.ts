import { CompleteLifecycleActionCommand, LaunchInstancesCommand } from '@aws-sdk/client-auto-scaling';
import { type Experiment, minutes, nameOf, no, yes } from '../experiment.ts';
import { until } from '../lab.ts';
import { groupTemplate, templateReference } from './templates.ts';

const id = 'E8';
const hook = 'bootstrap';

/** An instance that is launched by name of the group, which has a hook and protects new instances. */
export const launchInstances: Experiment = {
  id,
  question: 'Does LaunchInstances return ids at once, and do hooks and protection hold for its instances?',
  needs: ['aws'],
  minutes: 10,
  usd: 0.01,
  decides: [
    {
      design: 'a window that launches by itself and knows at once when there is no capacity',
      document: 'docs/decisions/0105-spot-has-an-on-demand-group-beside-it.md',
      ifYes: 'the missing number goes to the second group in the same second, and secrets exist before the boot',
      ifNo: 'the size of the group stays the only way, and a failed launch is read from its activities',
    },
  ],
  notRehearsed:
    'the embedded cloud has no LaunchInstances: how it treats hooks is the question. Played up to that call, and cleaned up',
  async run({ account, time, note }) {
    const { autoscaling } = account.clients;
    const [subnet, AutoScalingGroupName] = [await account.subnet(), nameOf(id)];
    const group = {
      LaunchTemplate: templateReference,
      NewInstancesProtectedFromScaleIn: true,
      LifecycleHookSpecificationList: [
        {
          LifecycleHookName: hook,
          LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
          HeartbeatTimeout: 300,
          DefaultResult: 'ABANDON',
        },
      ],
    };
    await account.deploy(id, groupTemplate({ id, subnet, group }));
    const begin = time.now();
    const { Instances = [], Errors = [] } = await autoscaling.send(
      new LaunchInstancesCommand({
        AutoScalingGroupName,
        RequestedCapacity: 1,
        ClientToken: `${AutoScalingGroupName}-${begin}`,
      }),
    );
    const [instance] = Instances.flatMap(({ InstanceIds }) => InstanceIds ?? []);
    note(`returned after ${time.now() - begin} ms: ${JSON.stringify({ Instances, Errors })}`);
    if (instance === undefined) return no('the response has no id of an instance');
    const member = async () => (await account.group(id))?.Instances?.find(({ InstanceId }) => InstanceId === instance);
    const held = await until(time, async () => (await member())?.LifecycleState === 'Pending:Wait', minutes(4));
    note(`at the hook: ${held === true}; ${JSON.stringify(await member())}`);
    if (held === undefined) return no('the instance did not stop at the launch hook');
    await autoscaling.send(
      new CompleteLifecycleActionCommand({
        AutoScalingGroupName,
        LifecycleHookName: hook,
        InstanceId: instance,
        LifecycleActionResult: 'CONTINUE',
      }),
    );
    await account.inService(id, 1);
    const isProtected = (await member())?.ProtectedFromScaleIn === true;
    const { DesiredCapacity } = (await account.group(id)) ?? {};
    note(`in service, protected: ${isProtected}, desired capacity ${DesiredCapacity}`);
    return isProtected
      ? yes('ids at once, the hook held it, and it is protected')
      : no('the instance is not protected');
  },
};
