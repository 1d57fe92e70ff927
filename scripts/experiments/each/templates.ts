import { images } from '../account.ts';
import { nameOf, prefix } from '../experiment.ts';

interface GroupTemplate {
  readonly id: string;
  readonly subnet: string;
  /** Of the launch template. @default Amazon Linux */
  readonly image?: string;
  readonly group?: object;
  readonly launch?: object;
}

/** A launch template of the smallest instance that burns no credits. */
export const template = ({ id, image = images.amazon, launch = {} }: Omit<GroupTemplate, 'subnet' | 'group'>) => ({
  Template: {
    Type: 'AWS::EC2::LaunchTemplate',
    Properties: {
      LaunchTemplateName: nameOf(id),
      LaunchTemplateData: {
        ImageId: `resolve:ssm:${image}`,
        InstanceType: 't3.nano',
        CreditSpecification: { CpuCredits: 'standard' },
        MetadataOptions: { HttpTokens: 'required' },
        TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: prefix, Value: id }] }],
        ...launch,
      },
    },
  },
});

/** The launch template with a group, named as the stack. */
export const groupTemplate = ({ id, subnet, group = {}, ...rest }: GroupTemplate) => ({
  ...template({ id, ...rest }),
  Group: {
    Type: 'AWS::AutoScaling::AutoScalingGroup',
    Properties: {
      AutoScalingGroupName: nameOf(id),
      MinSize: '0',
      MaxSize: '2',
      DesiredCapacity: '0',
      VPCZoneIdentifier: [subnet],
      ...group,
    },
  },
});

export const templateReference = {
  LaunchTemplateId: { Ref: 'Template' },
  Version: { 'Fn::GetAtt': ['Template', 'LatestVersionNumber'] },
};
