import type { ResourceRequest } from '../../../account/service.ts';
import { type Tag, tagRecord } from '../model.ts';

/** The tags of the template, the stack and CloudFormation itself, which adds them to the properties. */
export const tagsOf = (request: ResourceRequest): Record<string, string> =>
  tagRecord(request.properties.Tags as readonly Tag[] | undefined);
