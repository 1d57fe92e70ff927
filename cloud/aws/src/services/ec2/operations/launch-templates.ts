import { arn } from '../../../account/arn.ts';
import type { Call, Operations } from '../../../account/service.ts';
import { ec2Error } from '../errors.ts';
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
import { onResource, read, requestTags } from './permissions.ts';

interface CreateInput {
  readonly LaunchTemplateName: string;
  readonly LaunchTemplateData: LaunchTemplateData;
  readonly VersionDescription?: string;
  readonly TagSpecifications?: readonly TagSpecification[];
}

interface VersionInput extends LaunchTemplateReference {
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

type DescribeVersionsInput = PageInput &
  LaunchTemplateReference & {
    readonly Versions?: readonly string[];
    readonly MinVersion?: string;
    readonly MaxVersion?: string;
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
      run: (input: CreateInput, call: Call) => {
        const template = ec2.launchTemplates.create({
          name: input.LaunchTemplateName,
          data: input.LaunchTemplateData,
          ...(input.VersionDescription === undefined ? {} : { description: input.VersionDescription }),
          by: call.principal.arn,
          tags: tagsFor(input.TagSpecifications, 'launch-template'),
        });
        return { LaunchTemplate: templateShape(template) };
      },
    },
    CreateLaunchTemplateVersion: {
      permissions: one('CreateLaunchTemplateVersion'),
      run: (input: VersionInput, call: Call) => {
        const template = ec2.launchTemplates.find(input);
        const source =
          input.SourceVersion === undefined ? {} : ec2.launchTemplates.version(template, input.SourceVersion).data;
        const data = { ...source, ...input.LaunchTemplateData };
        const version = ec2.launchTemplates.addVersion(template, data, call.principal.arn, input.VersionDescription);
        return { LaunchTemplateVersion: versionShape(template, version) };
      },
    },
    ModifyLaunchTemplate: {
      permissions: one('ModifyLaunchTemplate'),
      run: (input: LaunchTemplateReference & { readonly DefaultVersion?: string }) => {
        const template = ec2.launchTemplates.find(input);
        template.defaultVersion = ec2.launchTemplates.version(template, input.DefaultVersion).number;
        return { LaunchTemplate: templateShape(template) };
      },
    },
    DeleteLaunchTemplate: {
      permissions: one('DeleteLaunchTemplate'),
      run: (input: LaunchTemplateReference) => {
        const template = ec2.launchTemplates.find(input);
        ec2.launchTemplates.delete(template);
        return { LaunchTemplate: templateShape(template) };
      },
    },
    DeleteLaunchTemplateVersions: {
      permissions: one('DeleteLaunchTemplateVersions'),
      run: (input: LaunchTemplateReference & { readonly Versions?: readonly string[] }) =>
        deleteVersions(ec2.launchTemplates.find(input), input.Versions ?? []),
    },
    DescribeLaunchTemplates: read('DescribeLaunchTemplates', (input: DescribeInput) => {
      const { items, ...next } = page(selectTemplates(ec2, input), input, 200);
      return { LaunchTemplates: items.map(templateShape), ...next };
    }),
    DescribeLaunchTemplateVersions: read('DescribeLaunchTemplateVersions', (input: DescribeVersionsInput) => {
      const { items, ...next } = page(selectVersions(ec2, input), input, 200);
      return { LaunchTemplateVersions: items, ...next };
    }),
  };
};

/** The default version cannot go: Delete a launch template version. */
function deleteVersions(template: LaunchTemplate, versions: readonly string[]) {
  const reference = { LaunchTemplateId: template.id, LaunchTemplateName: template.name };
  const succeeded: object[] = [];
  const failed: object[] = [];
  for (const version of versions) {
    const VersionNumber = Number(version);
    const code = !template.versions.has(VersionNumber)
      ? 'launchTemplateVersionDoesNotExist'
      : VersionNumber === template.defaultVersion
        ? 'unexpectedError'
        : undefined;
    if (code === undefined) template.versions.delete(VersionNumber);
    (code === undefined ? succeeded : failed).push({
      ...reference,
      VersionNumber,
      ...(code === undefined ? {} : { ResponseError: { Code: code, Message: `version ${version} cannot be deleted` } }),
    });
  }
  return {
    SuccessfullyDeletedLaunchTemplateVersions: succeeded,
    UnsuccessfullyDeletedLaunchTemplateVersions: failed,
  };
}

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

/** Newest first. Without a template, only `$Latest` and `$Default` of all may be asked for. */
function selectVersions(ec2: Ec2State, input: DescribeVersionsInput) {
  const { LaunchTemplateId, LaunchTemplateName, Versions } = input;
  if (LaunchTemplateId === undefined && LaunchTemplateName === undefined) {
    if (Versions === undefined || Versions.some((version) => !version.startsWith('$')))
      throw ec2Error('MissingParameter', 'You must specify a launch template, or the versions $Latest and $Default.');
    return [...ec2.launchTemplates.byId.values()].flatMap((template) => versionsOf(ec2, template, input));
  }
  return versionsOf(ec2, ec2.launchTemplates.find(input), input);
}

function versionsOf(ec2: Ec2State, template: LaunchTemplate, input: DescribeVersionsInput) {
  const least = Number(input.MinVersion ?? 1);
  const most = Number(input.MaxVersion ?? template.latestVersion);
  const versions =
    input.Versions === undefined
      ? [...template.versions.values()].filter(({ number }) => number >= least && number <= most).reverse()
      : [...new Set(input.Versions.map((version) => ec2.launchTemplates.version(template, version)))];
  return versions.map((version) => versionShape(template, version));
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
