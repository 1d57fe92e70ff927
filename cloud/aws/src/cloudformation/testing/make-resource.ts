import type { World } from '@drover/cloud-world';
import type { ResourceState } from '../../account/service.ts';

/** Makes one resource with the provider that a stack would use, for tests of services whose resources only templates make. */
export async function makeResource(world: World, type: string, properties: object = {}): Promise<ResourceState> {
  const generateName = () => `made-${type.split('::').at(-1)}`;
  const request = { type, logicalId: 'Made', stackName: 'made', stackId: 'made', properties, generateName };
  return await world.aws.cloudformation.behaviourOf(type)!.create(request);
}
