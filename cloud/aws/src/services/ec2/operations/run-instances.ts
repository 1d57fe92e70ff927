import { arn } from '../../../account/arn.ts';
import { notImplemented } from '../../../account/errors.ts';
import type { Operations, Permission } from '../../../account/service.ts';
import { passRole } from '../../../iam/authorization/pass-role.ts';
import { missingParameter } from '../errors.ts';
import type { LaunchTemplateReference } from '../instances/launch-templates.ts';
import { type LaunchTemplateData, type TagSpecification, tagsFor } from '../model.ts';
import { instanceShape } from '../responses.ts';
import type { Ec2State } from '../state.ts';
import { type Idempotent, once } from './once.ts';
import { onResource, requestTags } from './permissions.ts';

interface RunInput extends Idempotent {
  readonly LaunchTemplate?: LaunchTemplateReference & { readonly Version?: string };
  readonly ImageId?: string;
  readonly InstanceType?: string;
  readonly SubnetId?: string;
  readonly IamInstanceProfile?: { readonly Arn?: string; readonly Name?: string };
  readonly MetadataOptions?: LaunchTemplateData['MetadataOptions'];
  readonly InstanceInitiatedShutdownBehavior?: string;
  readonly HibernationOptions?: { readonly Configured?: boolean };
  readonly TagSpecifications?: readonly TagSpecification[];
  readonly MinCount?: number;
  readonly MaxCount?: number;
}

/** RunInstances from a launch template: "Any parameters that you specify in RunInstances override the same parameters in the launch template" (API Reference). */
export const runInstances = (ec2: Ec2State): Operations => {
  const launchOne = once((input: RunInput) => launch(ec2, input));
  return {
    RunInstances: {
      permissions: (input: RunInput) => permissions(ec2, input),
      run: (input: RunInput, call) => {
        const instance = ec2.fleet.get(launchOne(input, call));
        return {
          ReservationId: `r-${instance.id.slice(2)}`,
          OwnerId: ec2.aws.accountId,
          Groups: [],
          Instances: [instanceShape(ec2, instance)],
        };
      },
    },
  };
};

function templateOf(ec2: Ec2State, { LaunchTemplate }: RunInput) {
  if (LaunchTemplate === undefined) throw notImplemented('ec2', 'RunInstances without a launch template');
  const { Version = '$Default', ...reference } = LaunchTemplate;
  const template = ec2.launchTemplates.find(reference);
  return { template, version: ec2.launchTemplates.version(template, Version) };
}

/** Every other member replaces that of the template; tags are added to its tags. */
function launch(ec2: Ec2State, input: RunInput): string {
  if (input.MinCount === undefined) throw missingParameter('MinCount');
  if (input.MaxCount === undefined) throw missingParameter('MaxCount');
  if (input.MinCount !== 1 || input.MaxCount !== 1) throw notImplemented('ec2', 'RunInstances of several instances');
  const { template, version } = templateOf(ec2, input);
  const { ImageId, InstanceType, IamInstanceProfile, MetadataOptions, HibernationOptions } = input;
  const { InstanceInitiatedShutdownBehavior } = input;
  const overrides = {
    ImageId,
    InstanceType,
    IamInstanceProfile,
    MetadataOptions,
    InstanceInitiatedShutdownBehavior,
    HibernationOptions,
  };
  const given = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
  const [fallback] = ec2.defaultSubnets(ec2.aws.zones);
  const subnetId = input.SubnetId ?? fallback;
  if (subnetId === undefined) throw missingParameter('SubnetId');
  const instance = ec2.launch(
    {
      launchTemplate: { id: template.id, version: String(version.number) },
      subnetId,
      tags: tagsFor(input.TagSpecifications, 'instance'),
    },
    { ...given, TagSpecifications: [...(version.data.TagSpecifications ?? []), ...(input.TagSpecifications ?? [])] },
  );
  // A template's launches by hand are numbered as Auto Scaling's are not: EC2's own tags say where they come from.
  instance.tags = {
    ...instance.tags,
    'aws:ec2launchtemplate:id': template.id,
    'aws:ec2launchtemplate:version': String(version.number),
  };
  return instance.id;
}

/** Everything that a launch uses and makes (Service Authorization Reference, Amazon EC2, RunInstances), and the role that it hands over. */
function permissions(ec2: Ec2State, input: RunInput): readonly Permission[] {
  const { template, version } = templateOf(ec2, input);
  const { IamInstanceProfile = version.data.IamInstanceProfile, SubnetId, ImageId = version.data.ImageId } = input;
  const context = requestTags(input.TagSpecifications?.flatMap(({ Tags }) => Tags ?? []));
  const made = ['instance', 'volume', 'network-interface'].map((kind) => arn(ec2.aws, 'ec2', `${kind}/*`));
  const subnet = SubnetId === undefined ? undefined : ec2.network.subnets.get(SubnetId);
  const image = ec2.images.get(ImageId ?? '');
  const profile = IamInstanceProfile?.Arn ?? IamInstanceProfile?.Name;
  const role = profile === undefined ? undefined : ec2.aws.iam.roleOfInstanceProfile(profile);
  const tagged = (input.TagSpecifications ?? []).map(({ ResourceType }) => arn(ec2.aws, 'ec2', `${ResourceType}/*`));
  return [
    ...made.map((resource) => ({ action: 'ec2:RunInstances', resource, context })),
    onResource('RunInstances', template),
    ...(subnet === undefined ? [] : [onResource('RunInstances', subnet)]),
    ...(image === undefined ? [] : [{ action: 'ec2:RunInstances', resource: imageArn(ec2, image.imageId) }]),
    ...tagged.map((resource) => ({
      action: 'ec2:CreateTags',
      resource,
      context: { ...context, 'ec2:CreateAction': 'RunInstances' },
    })),
    ...(role === undefined ? [] : [passRole(role, 'ec2.amazonaws.com')]),
  ];
}

const imageArn = ({ aws }: Ec2State, id: string) => arn({ region: aws.region, accountId: '' }, 'ec2', `image/${id}`);
