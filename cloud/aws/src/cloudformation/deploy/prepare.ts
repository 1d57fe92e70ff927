import { templateError, templateFormatError, validationError } from '../errors.ts';
import { isCustom, isFreeForm, specOf } from '../spec/resource-spec.ts';
import { conditionsOf } from '../template/functions/conditions.ts';
import { pseudoParameters, type Resolved, type Scope, type StackIdentity } from '../template/functions/scope.ts';
import { type Dependencies, dependenciesOf } from '../template/graph.ts';
import { type GivenParameter, type ParameterValue, resolveParameters } from '../template/parameters.ts';
import { parseTemplate } from '../template/parse.ts';
import { checkReferences, referencesIn } from '../template/references.ts';
import { assertRules } from '../template/rules.ts';
import type { ResourceDeclaration, Template } from '../template/template.ts';

/** A template that has passed every check which needs no resource, with its parameters. */
export interface Deployment {
  readonly body: string;
  readonly template: Template;
  readonly parameters: ReadonlyMap<string, ParameterValue>;
  readonly pseudo: Readonly<Record<string, Resolved>>;
  /** Only resources whose conditions hold. */
  readonly dependencies: Dependencies;
  condition(name: string): boolean;
}

interface Preparation {
  readonly identity: StackIdentity;
  readonly zones: readonly string[];
  readonly body: string;
  readonly given: readonly GivenParameter[];
  readonly previous?: ReadonlyMap<string, ParameterValue>;
  stored(name: string): string | undefined;
  importValue(name: string): string;
}

/** Checks a template as CreateStack and UpdateStack do before they begin. */
export function prepare(preparation: Preparation): Deployment {
  const template = parseTemplate(preparation.body);
  refuseTransforms(template);
  const pseudo = pseudoParameters(preparation.identity);
  const parameters = resolveParameters(template, preparation);
  checkReferences(template, pseudo);
  refuseUnknownTypes(template);
  checkAttributes(template);
  const scope = conditionScope(template, parameters, pseudo, preparation);
  const condition = conditionsOf(template, scope);
  for (const name of Object.keys(template.Conditions)) condition(name);
  assertRules(template, { ...scope, condition });
  const dependencies = dependenciesOf(template, condition);
  return { body: preparation.body, template, parameters, pseudo, condition, dependencies };
}

function conditionScope(
  template: Template,
  parameters: ReadonlyMap<string, ParameterValue>,
  pseudo: Readonly<Record<string, Resolved>>,
  preparation: Preparation,
): Omit<Scope, 'condition'> {
  const noResources = (id: string): never => {
    throw templateFormatError(
      `Unresolved dependencies [${id}]. Cannot reference resources in the Conditions block of the template`,
    );
  };
  return {
    template,
    parameters,
    pseudo,
    region: preparation.identity.region,
    zones: preparation.zones,
    ref: noResources,
    attribute: noResources,
    importValue: preparation.importValue,
  };
}

function refuseTransforms(template: Template): void {
  if (template.Transform.length > 0)
    throw validationError(
      `the embedded cloud runs no macros: transform ${template.Transform.join(', ')} is not modelled`,
    );
}

function refuseUnknownTypes(template: Template): void {
  const unknown = Object.entries(template.Resources).filter(
    ([, { Type }]) => !isFreeForm(Type) && specOf(Type) === undefined,
  );
  if (unknown.length > 0)
    throw templateFormatError(
      `Unrecognized resource types: [${unknown.map(([id, { Type }]) => `${Type} (${id})`).join(', ')}]`,
    );
  for (const [id, resource] of Object.entries(template.Resources)) refuseUnmodelled(id, resource);
}

function refuseUnmodelled(id: string, resource: ResourceDeclaration): void {
  if (resource.CreationPolicy !== undefined)
    throw templateError(`the embedded cloud does not model CreationPolicy (resource ${id}, ${resource.Type})`);
  if (resource.UpdatePolicy?.AutoScalingReplacingUpdate !== undefined)
    throw templateError(
      `the embedded cloud does not model the update policy AutoScalingReplacingUpdate (resource ${id})`,
    );
  if (JSON.stringify(resource.Properties ?? {}).includes('"Fn::Cidr":'))
    throw templateError(`the embedded cloud does not model Fn::Cidr (resource ${id})`);
  if (resource.Type === 'AWS::CloudFormation::Stack' || resource.Type === 'AWS::CloudFormation::Macro')
    throw templateError(`the embedded cloud does not model ${resource.Type} (resource ${id})`);
}

/** An attribute that the resource's type does not have is refused before anything is made. */
function checkAttributes(template: Template): void {
  const values = [
    ...Object.values(template.Resources).map((each) => each.Properties ?? {}),
    ...Object.values(template.Outputs).map((each) => each.Value),
  ];
  for (const { name, attribute } of values.flatMap((value) => referencesIn(value))) {
    const type = template.Resources[name]?.Type;
    if (attribute === undefined || type === undefined || isCustom(type)) continue;
    const known = Object.keys(specOf(type)?.attributes ?? {});
    if (!known.some((each) => attribute === each || attribute.startsWith(`${each}.`)))
      throw templateError(`resource ${name} does not support attribute type ${attribute} in Fn::GetAtt`);
  }
}
