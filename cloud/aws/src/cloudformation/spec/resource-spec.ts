import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec';
import type {
  DefinitionReference,
  Property,
  PropertyType,
  Resource,
  SpecDatabase,
  TypeDefinition,
} from '@aws-cdk/service-spec-types';
import modelled from './resource-types.snap.json' with { type: 'json' };

export type { Property, PropertyType };

/** The part of a resource type's specification that is read. */
export interface ResourceSpec
  extends Pick<
    Resource,
    | 'additionalReplacementProperties'
    | 'arnTemplate'
    | 'attributes'
    | 'cfnRefIdentifier'
    | 'primaryIdentifier'
    | 'properties'
    | 'tagInformation'
  > {}

/** The types that the services model with the definitions that they use, apart from the rest: see resource-spec.test.ts. */
export interface ModelledSpecs {
  readonly resources: Readonly<Record<string, ResourceSpec>>;
  readonly definitions: Readonly<Record<string, Pick<TypeDefinition, 'properties'>>>;
}

const { resources, definitions } = modelled as unknown as ModelledSpecs;
let database: SpecDatabase | undefined;

/** The specification of all resource types: a second and 100 MB, so it is loaded for types only that are not modelled. */
export function specification(): SpecDatabase {
  database ??= loadAwsServiceSpecSync();
  return database;
}

const others = new Map<string, ResourceSpec | undefined>();

/** The entry of a resource type in CloudFormation's public specification. */
export function specOf(type: string): ResourceSpec | undefined {
  if (Object.hasOwn(resources, type)) return resources[type];
  // No specification has these, and a lookup would load all of it.
  if (type.startsWith('Custom::') || type === 'AWS::CDK::Metadata') return undefined;
  if (!others.has(type))
    others.set(type, specification().lookup('resource', 'cloudFormationType', 'equals', type)[0] as ResourceSpec);
  return others.get(type);
}

/** The members of a property whose type is an object with a definition. */
export const definitionOf = ({ reference }: DefinitionReference): Pick<TypeDefinition, 'properties'> =>
  definitions[reference.$ref] ?? (specification().get('typeDefinition', reference) as TypeDefinition);

/** Custom resources: everything but the service token is between the template and the provider. */
export const isCustom = (type: string): boolean =>
  type.startsWith('Custom::') || type === 'AWS::CloudFormation::CustomResource';

/** Types that are known without a specification. `AWS::CDK::Metadata` does nothing anywhere. */
export const isFreeForm = (type: string): boolean => isCustom(type) || type === 'AWS::CDK::Metadata';
