import { arn } from '../../../account/arn.ts';
import type { Call, Operations } from '../../../account/service.ts';
import type { LaunchTemplateReference } from '../instances/launch-templates.ts';
import {
  type LaunchTemplate,
  type LaunchTemplateData,
  type LaunchTemplateVersion,
  type TagSpecification,
  tagList,
  tagsFor,
} from '../model.ts';
import type { Ec2State } from '../state.ts';
import { applyFilters, type Filter, page } from './filters.ts';
import { type Idempotent, once } from './once.ts';
import { onResource, read, requestTags } from './permissions.ts';

interface CreateInput extends Idempotent {
  readonly LaunchTemplateName: string;
  readonly LaunchTemplateData: LaunchTemplateData;
  readonly VersionDescription?: string;
  readonly TagSpecifications?: readonly TagSpecification[];
}

interface VersionInput extends LaunchTemplateReference, Idempotent {
  readonly LaunchTemplateData: LaunchTemplateData;
  readonly SourceVersion?: string;
  readonly VersionDescription?: string;
}

interface PageInput {
  readonly Filters?: readonly Filter[];
  readonly NextToken?: string;
  readonly MaxResults?: number;
}

type DescribeInput = PageInput & {
  readonly LaunchTemplateIds?: readonly string[];
  readonly LaunchTemplateNames?: readonly string[];
};

/** Launch templates: create, add versions, choose the default, describe, delete. */
export const launchTemplateOperations = (ec2: Ec2State): Operations => {
  const one = (action: string) => (input: LaunchTemplateReference) => [
    onResource(action, ec2.launchTemplates.find(input)),
  ];
  return {
    CreateLaunchTemplate: {
      permissions: (input: CreateInput) => {
        const context = requestTags(input.TagSpecifications?.flatMap((s) => s.Tags ?? []));
        return [{ action: 'ec2:CreateLaunchTemplate', resource: arn(ec2.aws, 'ec2', 'launch-template/*'), context }];
      },
      run: once((input: CreateInput, call: Call) => {
        const template = ec2.launchTemplates.create({
          name: input.LaunchTemplateName,
          data: input.LaunchTemplateData,
          ...(input.VersionDescription === undefined ? {} : { description: input.VersionDescription }),
          by: call.principal.arn,
          tags: tagsFor(input.TagSpecifications, 'launch-template'),
        });
        return { LaunchTemplate: templateShape(template) };
      }),
    },
    CreateLaunchTemplateVersion: {
      permissions: one('CreateLaunchTemplateVersion'),
      run: once((input: VersionInput, call: Call) => {
        const template = ec2.launchTemplates.find(input);
        const source =
          input.SourceVersion === undefined ? {} : ec2.launchTemplates.version(template, input.SourceVersion).data;
        const data = { ...source, ...input.LaunchTemplateData };
        const version = ec2.launchTemplates.addVersion(template, data, call.principal.arn, input.VersionDescription);
        return { LaunchTemplateVersion: versionShape(template, version) };
      }),
    },
    DeleteLaunchTemplate: {
      permissions: one('DeleteLaunchTemplate'),
      run: (input: LaunchTemplateReference) => {
        const template = ec2.launchTemplates.find(input);
        ec2.launchTemplates.delete(template);
        return { LaunchTemplate: templateShape(template) };
      },
    },
    DescribeLaunchTemplates: read('DescribeLaunchTemplates', (input: DescribeInput) => {
      const { items, ...next } = page(selectTemplates(ec2, input), input, 200);
      return { LaunchTemplates: items.map(templateShape), ...next };
    }),
  };
};

function selectTemplates(ec2: Ec2State, input: DescribeInput): LaunchTemplate[] {
  const ids = (input.LaunchTemplateIds ?? []).map((LaunchTemplateId) => ({ LaunchTemplateId }));
  const names = (input.LaunchTemplateNames ?? []).map((LaunchTemplateName) => ({ LaunchTemplateName }));
  const named = [...ids, ...names];
  const from =
    named.length > 0
      ? named.map((reference) => ec2.launchTemplates.find(reference))
      : ec2.launchTemplates.byId.values();
  return applyFilters(from, input.Filters, {
    'launch-template-name': (template) => template.name,
    'create-time': (template) => new Date(template.createdAt).toISOString(),
  });
}

const templateShape = (template: LaunchTemplate) => ({
  LaunchTemplateId: template.id,
  LaunchTemplateName: template.name,
  CreateTime: new Date(template.createdAt),
  CreatedBy: template.createdBy,
  DefaultVersionNumber: template.defaultVersion,
  LatestVersionNumber: template.latestVersion,
  Tags: tagList(template.tags),
});

const versionShape = (template: LaunchTemplate, version: LaunchTemplateVersion) => ({
  LaunchTemplateId: template.id,
  LaunchTemplateName: template.name,
  VersionNumber: version.number,
  ...(version.description === undefined ? {} : { VersionDescription: version.description }),
  CreateTime: new Date(version.createdAt),
  CreatedBy: version.createdBy,
  DefaultVersion: version.number === template.defaultVersion,
  LaunchTemplateData: version.data,
});
