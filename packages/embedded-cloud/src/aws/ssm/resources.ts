import type { ResourceProperties, ResourceProviders } from '../service.ts';
import type { Parameters } from './parameters.ts';

/** The resource types of Systems Manager that templates may use. */
export const ssmResources = (parameters: Parameters): ResourceProviders => {
  const put = (name: string, properties: ResourceProperties) => {
    parameters.put(name, String(properties.Value), {
      type: properties.Type,
      description: properties.Description,
      tags: properties.Tags ?? {},
    });
    return { physicalId: name, attributes: { Type: properties.Type, Value: properties.Value } };
  };
  return {
    'AWS::SSM::Parameter': {
      create: ({ properties, generateName }) => put(properties.Name ?? generateName(), properties),
      update: ({ physicalId, properties }) => put(physicalId, properties),
      delete: ({ physicalId }) => void parameters.all.delete(physicalId),
    },
  };
};
