import { templateError, templateFormatError } from '../errors.ts';
import { asFunction, isObject, type Template, type TemplateValue } from './template.ts';

/** One mention of a name in a value: by `Ref`, or with an attribute by `Fn::GetAtt`, or either inside `Fn::Sub`. */
interface Reference {
  readonly name: string;
  readonly attribute?: string;
}

/** Whether a condition holds; without it both branches of `Fn::If` are looked at. */
type ConditionLookup = ((name: string) => boolean) | undefined;

/** Every reference in a value. */
export function referencesIn(value: TemplateValue, condition?: ConditionLookup): Reference[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => referencesIn(each, condition));
  const called = asFunction(value);
  const found = called === undefined ? undefined : referencesOfFunction(called.name, called.argument, condition);
  return found ?? Object.values(value).flatMap((each) => referencesIn(each, condition));
}

function referencesOfFunction(
  name: string,
  argument: TemplateValue,
  condition: ConditionLookup,
): Reference[] | undefined {
  if (name === 'Ref') return [{ name: String(argument) }];
  if (name === 'Fn::GetAtt') return [...attributeReference(argument), ...referencesIn(argument, condition)];
  if (name === 'Fn::Sub') return [...subReferences(argument), ...referencesIn(argument, condition)];
  if (name === 'Fn::If' && condition !== undefined && Array.isArray(argument) && typeof argument[0] === 'string')
    return referencesIn(argument[condition(argument[0]) ? 1 : 2] ?? [], condition);
  return undefined;
}

function attributeReference(argument: TemplateValue): Reference[] {
  const [name, ...rest] = typeof argument === 'string' ? argument.split('.') : (argument as readonly TemplateValue[]);
  if (typeof name !== 'string' || rest.length === 0)
    throw templateError(
      'every Fn::GetAtt object requires two non-empty parameters, the resource name and the resource attribute',
    );
  return rest.every((part) => typeof part === 'string') ? [{ name, attribute: rest.join('.') }] : [{ name }];
}

function subReferences(argument: TemplateValue): Reference[] {
  const [text, variables] = Array.isArray(argument) ? (argument as readonly TemplateValue[]) : [argument, {}];
  if (typeof text !== 'string') return [];
  const own = isObject(variables) ? variables : {};
  return [...text.matchAll(/\$\{([^!}][^}]*)\}/g)]
    .map((match) => match[1]!.trim())
    .filter((name) => !(name in own))
    .map((name) => {
      const dot = name.indexOf('.');
      return dot < 0 ? { name } : { name: name.slice(0, dot), attribute: name.slice(dot + 1) };
    });
}

/** Refuses a template that refers to anything it does not declare, in any branch. */
export function checkReferences(template: Template, pseudo: Readonly<Record<string, unknown>>): void {
  const declared = (name: string) => name in template.Resources || name in template.Parameters || name in pseudo;
  const check = (where: string, value: TemplateValue) => {
    const missing = [
      ...new Set(
        referencesIn(value)
          .filter((each) => !declared(each.name))
          .map((each) => each.name),
      ),
    ];
    if (missing.length > 0)
      throw templateFormatError(
        `Unresolved resource dependencies [${missing.join(', ')}] in the ${where} block of the template`,
      );
  };
  for (const resource of Object.values(template.Resources)) {
    check('Resources', [resource.Properties ?? {}, resource.UpdatePolicy ?? {}, resource.CreationPolicy ?? {}]);
    const unknown = dependsOn(resource.DependsOn).filter((id) => !(id in template.Resources));
    if (unknown.length > 0)
      throw templateFormatError(
        `Unresolved resource dependencies [${unknown.join(', ')}] in the Resources block of the template`,
      );
  }
  for (const output of Object.values(template.Outputs)) check('Outputs', [output.Value, output.Export?.Name ?? '']);
  checkConditionNames(template);
}

function checkConditionNames(template: Template): void {
  const named = [...Object.values(template.Resources), ...Object.values(template.Outputs)].map(
    (each) => each.Condition,
  );
  for (const name of named)
    if (name !== undefined && !(name in template.Conditions))
      throw templateFormatError(`Unresolved condition dependency ${name} in the Resources block of the template`);
  for (const value of Object.values(template.Conditions)) {
    const resources = referencesIn(value).filter((each) => each.name in template.Resources);
    if (resources.length > 0)
      throw templateFormatError(
        `Unresolved dependencies [${resources.map((each) => each.name).join(', ')}]. Cannot reference resources in the Conditions block of the template`,
      );
  }
}

/** A DependsOn as a list. */
export const dependsOn = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;
