import { freeName } from '../../account/errors.ts';
import type { ResourceProperties, ResourceProviders } from '../../account/service.ts';
import { validation } from './model.ts';
import type { Parameters } from './parameters.ts';

/** The resource types of Systems Manager that templates may use. */
export const ssmResources = (parameters: Parameters): ResourceProviders => {
  const put = (name: string, properties: ResourceProperties) => {
    if (properties.Type === 'SecureString')
      throw validation('CloudFormation does not create parameters of the type SecureString');
    parameters.put(name, String(properties.Value), properties.Type, properties.DataType);
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
