import type { ResourceProvider, ResourceRequest, ResourceState } from '../../../account/service.ts';
import { type LaunchTemplate, type LaunchTemplateData, type TagSpecification, tagsFor } from '../model.ts';
import type { Ec2State } from '../state.ts';

const by = 'arn:aws:iam::cloudformation';

/** AWS::EC2::LaunchTemplate: a change makes a new version and leaves the default version where it is. */
export const launchTemplateProvider = (ec2: Ec2State): ResourceProvider => ({
  create: (request) => {
    const { properties } = request;
    const template = ec2.launchTemplates.create({
      name: properties.LaunchTemplateName ?? request.generateName(128),
      data: dataOf(request),
      ...(properties.VersionDescription === undefined ? {} : { description: properties.VersionDescription }),
      by,
      tags: templateTags(request),
    });
    return stateOf(template);
  },
  update: (request) => {
    const template = ec2.launchTemplates.find({ LaunchTemplateId: request.physicalId });
    const before = JSON.stringify(request.previousProperties.LaunchTemplateData);
    if (before !== JSON.stringify(request.properties.LaunchTemplateData))
      ec2.launchTemplates.addVersion(template, dataOf(request), by, request.properties.VersionDescription);
    return stateOf(template);
  },
  delete: (request) => ec2.launchTemplates.delete(ec2.launchTemplates.find({ LaunchTemplateId: request.physicalId })),
});

const dataOf = (request: ResourceRequest) => request.properties.LaunchTemplateData as LaunchTemplateData;

const templateTags = (request: ResourceRequest): Record<string, string> => ({
  ...tagsFor(request.properties.TagSpecifications as readonly TagSpecification[] | undefined, 'launch-template'),
  'aws:cloudformation:stack-name': request.stackName,
  'aws:cloudformation:stack-id': request.stackId,
  'aws:cloudformation:logical-id': request.logicalId,
});

const stateOf = (template: LaunchTemplate): ResourceState => ({
  physicalId: template.id,
  attributes: {
    LaunchTemplateId: template.id,
    LatestVersionNumber: String(template.latestVersion),
    DefaultVersionNumber: String(template.defaultVersion),
  },
});
