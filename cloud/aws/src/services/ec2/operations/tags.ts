import type { Operations, Permission } from '../../../account/service.ts';
import { ec2Error, invalidParameter, missingParameter } from '../errors.ts';
import { type Tag, type TaggedResource, tagRecord } from '../model.ts';
import type { Ec2State } from '../state.ts';
import { applyFilters, type Filter, page } from './filters.ts';
import { read, requestTags, resourceContext } from './permissions.ts';

interface TagsInput {
  readonly Resources?: readonly string[];
  readonly Tags?: readonly Tag[];
}

/** "Maximum number of tags per resource – 50": Tag restrictions. */
const mostTags = 50;

/** CreateTags, DeleteTags, DescribeTags. */
export const tagOperations = (ec2: Ec2State): Operations => ({
  CreateTags: {
    permissions: (input: TagsInput) => permissions(ec2, 'CreateTags', input),
    run: (input: TagsInput) => {
      checkTags(input.Tags);
      for (const resource of resources(ec2, input)) {
        const tags = { ...resource.tags, ...tagRecord(input.Tags) };
        if (Object.keys(tags).filter((key) => !key.startsWith('aws:')).length > mostTags)
          throw ec2Error('TagLimitExceeded', 'The maximum number of Tags for a resource has been reached.');
        tellChange(ec2, resource, tags);
        resource.tags = tags;
      }
      return {};
    },
  },
  DescribeTags: read(
    'DescribeTags',
    (input: { readonly Filters?: readonly Filter[]; readonly NextToken?: string; readonly MaxResults?: number }) => {
      const { items, ...next } = page(select(ec2, input.Filters), input);
      return { Tags: items, ...next };
    },
  ),
});

/**
 * "Tag Change on Resource" for instances whose tags have changed. (EventBridge Events Reference, "Tags events"; Tagging AWS Resources User Guide,
 * "Monitor tag changes with serverless workflows and Amazon EventBridge".)
 */
function tellChange(ec2: Ec2State, resource: TaggedResource, tags: Readonly<Record<string, string>>): void {
  const changed = Object.keys(tags).filter((key) => tags[key] !== resource.tags[key]);
  if (resource.resourceType !== 'instance' || changed.length === 0) return;
  ec2.aws.events.emit({
    source: 'aws.tag',
    detailType: 'Tag Change on Resource',
    detail: { 'changed-tag-keys': changed, service: 'ec2', 'resource-type': 'instance', tags },
    resources: [resource.arn],
  });
}

function permissions(ec2: Ec2State, action: string, input: TagsInput): readonly Permission[] {
  return (input.Resources ?? []).map((id) => {
    const resource = find(ec2, id);
    const context = { ...requestTags(input.Tags), ...(resource === undefined ? {} : resourceContext(resource)) };
    return { action: `ec2:${action}`, resource: resource?.arn ?? '*', context };
  });
}

const find = (ec2: Ec2State, id: string): TaggedResource | undefined => ec2.registry.get(id) ?? ec2.instances.get(id);

function resources(ec2: Ec2State, input: TagsInput): TaggedResource[] {
  if ((input.Resources ?? []).length === 0) throw missingParameter('resourceIdSet');
  return input.Resources!.map((id) => {
    const resource = find(ec2, id);
    if (resource !== undefined) return resource;
    throw id.startsWith('i-')
      ? ec2Error('InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`)
      : ec2Error('InvalidID', `The ID '${id}' is not valid`);
  });
}

function checkTags(tags: readonly Tag[] | undefined): void {
  if ((tags ?? []).length === 0) throw missingParameter('Tags');
  for (const { Key: key = '', Value: value = '' } of tags!) {
    if (key.toLowerCase().startsWith('aws:'))
      throw invalidParameter("Tag keys starting with 'aws:' are reserved for internal use");
    if (key.length === 0 || key.length > 127)
      throw invalidParameter(`Tag key exceeds the maximum length of 127 or is empty: '${key}'`);
    if (value.length > 256) throw invalidParameter('Tag value exceeds the maximum length of 256 characters');
  }
}

interface TagRow {
  readonly Key: string;
  readonly Value: string;
  readonly ResourceId: string;
  readonly ResourceType: string;
}

function select(ec2: Ec2State, filters: readonly Filter[] | undefined): TagRow[] {
  const rows = candidates(ec2, filters).flatMap((resource) =>
    Object.entries(resource.tags).map(([Key, Value]) => ({
      Key,
      Value,
      ResourceId: resource.id,
      ResourceType: resource.resourceType,
      tags: { [Key]: Value },
    })),
  );
  const readers = {
    key: (row: TagRow) => row.Key,
    value: (row: TagRow) => row.Value,
    'resource-id': (row: TagRow) => row.ResourceId,
    'resource-type': (row: TagRow) => row.ResourceType,
  };
  return applyFilters(rows, filters, readers).map(({ tags: _, ...row }) => row);
}

/** All resources, or those that the filter by id names without a wildcard: the usual question in a large account. */
function candidates(ec2: Ec2State, filters: readonly Filter[] | undefined): TaggedResource[] {
  const ids = filters?.find(({ Name }) => Name === 'resource-id')?.Values;
  if (ids === undefined || ids.some((id) => /[*?]/.test(id))) return [...ec2.registry.all()];
  return [...new Set(ids)].flatMap((id) => ec2.registry.get(id) ?? []);
}
