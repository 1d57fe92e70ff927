import { SetDesiredCapacityCommand } from '@aws-sdk/client-auto-scaling';
import { GetParameterCommand, PutParameterCommand } from '@aws-sdk/client-ssm';
import { images } from '../account.ts';
import { type Experiment, minutes, nameOf, no, unclear, yes } from '../experiment.ts';
import { until } from '../lab.ts';
import { groupTemplate, templateReference } from './templates.ts';

const id = 'E9';
const parameter = `/${nameOf(id)}/image`;

/** A mixed group whose launch template names its image by a parameter that changes. */
export const parameterWithMixedPolicy: Experiment = {
  id,
  question: 'Does a group with a mixed instances policy resolve the image of resolve:ssm at each launch?',
  needs: ['aws'],
  minutes: 12,
  usd: 0.02,
  decides: [
    {
      design: 'a baked image is rolled out by a parameter that launch templates resolve',
      document: 'docs/decisions/0101-images-are-baked-by-the-fleets-own-boot.md',
      ifYes: 'fleets with spot or several types take a baked image without a deployment',
      ifNo: 'such fleets get a new version of their launch template for each image',
    },
  ],
  async run({ account, time, note }) {
    const { autoscaling, ssm } = account.clients;
    const subnet = await account.subnet();
    const image = async (name: string) =>
      (await ssm.send(new GetParameterCommand({ Name: name }))).Parameter?.Value ?? '';
    const [before, after] = [await image(images.amazon), await image(images.debian)];
    const MixedInstancesPolicy = {
      InstancesDistribution: { OnDemandBaseCapacity: 0, OnDemandPercentageAboveBaseCapacity: 100 },
      LaunchTemplate: {
        LaunchTemplateSpecification: templateReference,
        Overrides: [{ InstanceType: 't3.nano' }, { InstanceType: 't3a.nano' }],
      },
    };
    const { Group, ...rest } = groupTemplate({ id, subnet, image: parameter, group: { MixedInstancesPolicy } });
    const Parameter = {
      Type: 'AWS::SSM::Parameter',
      Properties: { Name: parameter, Type: 'String', DataType: 'aws:ec2:image', Value: before },
    };
    await account.deploy(id, { Parameter, ...rest, Group: { ...Group, DependsOn: 'Parameter' } });
    const AutoScalingGroupName = nameOf(id);
    await autoscaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName, DesiredCapacity: 1 }));
    const [first] = await account.inService(id, 1);
    const Overwrite = true;
    await ssm.send(
      new PutParameterCommand({ Name: parameter, Value: after, Type: 'String', DataType: 'aws:ec2:image', Overwrite }),
    );
    // An image is validated after PutParameter has returned.
    const changed = await until(time, async () => (await image(parameter)) === after, minutes(2));
    if (changed === undefined) return unclear('the parameter did not take the other image within 2 minutes');
    await autoscaling.send(new SetDesiredCapacityCommand({ AutoScalingGroupName, DesiredCapacity: 2 }));
    const both = await account.instances(await account.inService(id, 2));
    const imageOf = (found: (typeof both)[number] | undefined) => found?.ImageId;
    const [old, fresh] = [
      imageOf(both.find(({ InstanceId }) => InstanceId === first)),
      imageOf(both.find(({ InstanceId }) => InstanceId !== first)),
    ];
    note(`parameter ${before}, then ${after}; launched with ${old}, then ${fresh}`);
    if (old !== before) return no(`the first instance has ${old}`);
    return fresh === after ? yes('the second launch has the new image') : no(`the second launch still has ${fresh}`);
  },
};
