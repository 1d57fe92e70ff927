import { freeName } from '../../account/errors.ts';
import type { ResourceProperties, ResourceProviders } from '../../account/service.ts';
import type { Parameters } from './parameters.ts';

/** The resource types of Systems Manager that templates may use. */
export const ssmResources = (parameters: Parameters): ResourceProviders => {
  const put = (name: string, properties: ResourceProperties) => {
    parameters.put(name, String(properties.Value), {
      type: properties.Type,
      tags: properties.Tags ?? {},
    });
    return { physicalId: name, attributes: { Type: properties.Type, Value: properties.Value } };
  };
  return {
    'AWS::SSM::Parameter': {
      create: ({ type, properties, generateName }) => {
        const name = properties.Name ?? generateName();
        return put(freeName(type, name, parameters.all.has(name)), properties);
      },
      update: ({ physicalId, properties }) => put(physicalId, properties),
      delete: ({ physicalId }) => void parameters.all.delete(physicalId),
    },
  };
};
