import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import type {
  Attribute,
  DefinitionReference,
  Property,
  PropertyType,
  Resource,
  SpecDatabase,
  TypeDefinition,
} from '@aws-cdk/service-spec-types';

export type { Attribute, Property, PropertyType, Resource };

let database: SpecDatabase | undefined;

/** The specification of all resource types. Loading takes about a second, so it happens once and only when needed. */
function specification(): SpecDatabase {
  database ??= loadAwsServiceSpecSync();
  return database;
}

const known = new Map<string, Resource | undefined>();

/** What CloudFormation's public specification says of a resource type. */
export function specOf(type: string): Resource | undefined {
  if (!known.has(type))
    known.set(
      type,
      specification().lookup('resource', 'cloudFormationType', 'equals', type)[0] as Resource | undefined,
    );
  return known.get(type);
}

/** The members of a property whose type is an object with a definition. */
export const definitionOf = (type: DefinitionReference): TypeDefinition =>
  specification().get('typeDefinition', type.reference) as TypeDefinition;

/** Custom resources: everything but the service token is between the template and the provider. */
export const isCustom = (type: string): boolean =>
  type.startsWith('Custom::') || type === 'AWS::CloudFormation::CustomResource';

/** Types that are known without a specification. `AWS::CDK::Metadata` does nothing anywhere. */
export const isFreeForm = (type: string): boolean => isCustom(type) || type === 'AWS::CDK::Metadata';
