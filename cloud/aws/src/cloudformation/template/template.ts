/** A value of a template: JSON, with intrinsic functions as objects of one key. */
export type TemplateValue =
  | null
  | boolean
  | number
  | string
  | readonly TemplateValue[]
  | { readonly [key: string]: TemplateValue };

export type TemplateObject = { readonly [key: string]: TemplateValue };

/** One entry of the Parameters section. */
export interface ParameterDeclaration {
  readonly Type: string;
  readonly Default?: string | number | boolean;
  readonly Description?: string;
  readonly NoEcho?: boolean | string;
  readonly AllowedValues?: readonly (string | number | boolean)[];
  readonly AllowedPattern?: string;
  readonly MinLength?: number | string;
  readonly MaxLength?: number | string;
  readonly MinValue?: number | string;
  readonly MaxValue?: number | string;
  readonly ConstraintDescription?: string;
}

/** `Snapshot` is carried out as `Retain`: nothing is snapshotted, nothing is lost. */
export type RemovalPolicy = 'Delete' | 'Retain' | 'RetainExceptOnCreate' | 'Snapshot';

/** One entry of the Resources section. */
export interface ResourceDeclaration {
  readonly Type: string;
  readonly Properties?: TemplateObject;
  readonly DependsOn?: string | readonly string[];
  readonly Condition?: string;
  readonly DeletionPolicy?: RemovalPolicy;
  readonly UpdateReplacePolicy?: RemovalPolicy;
  readonly UpdatePolicy?: TemplateObject;
  readonly CreationPolicy?: TemplateObject;
  readonly Metadata?: TemplateValue;
}

/** One entry of the Outputs section. */
export interface OutputDeclaration {
  readonly Value: TemplateValue;
  readonly Description?: string;
  readonly Condition?: string;
  readonly Export?: { readonly Name: TemplateValue };
}

/** One entry of the Rules section. */
interface RuleDeclaration {
  readonly RuleCondition?: TemplateValue;
  readonly Assertions: readonly { readonly Assert: TemplateValue; readonly AssertDescription?: string }[];
}

/** A template whose sections have the right shape; what is inside values is checked when it is resolved. */
export interface Template {
  readonly AWSTemplateFormatVersion?: string;
  readonly Description?: string;
  readonly Metadata?: TemplateObject;
  readonly Transform: readonly string[];
  readonly Parameters: Readonly<Record<string, ParameterDeclaration>>;
  readonly Mappings: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, TemplateValue>>>>>>;
  readonly Conditions: Readonly<Record<string, TemplateValue>>;
  readonly Rules: Readonly<Record<string, RuleDeclaration>>;
  readonly Resources: Readonly<Record<string, ResourceDeclaration>>;
  readonly Outputs: Readonly<Record<string, OutputDeclaration>>;
}

/** Whether a template's value is an object (and so perhaps a function). */
export const isObject = (value: unknown): value is TemplateObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The name and argument of an intrinsic function, if the value is one. */
export function asFunction(
  value: TemplateValue,
): { readonly name: string; readonly argument: TemplateValue } | undefined {
  if (!isObject(value)) return undefined;
  const keys = Object.keys(value);
  const name = keys[0];
  if (keys.length !== 1 || name === undefined) return undefined;
  const isIntrinsic = name === 'Ref' || name.startsWith('Fn::') || name === 'Condition';
  return isIntrinsic ? { name, argument: value[name] as TemplateValue } : undefined;
}
