import type { ParameterValue } from '../parameters.ts';
import type { Template, TemplateValue } from '../template.ts';

/** A value without functions; `undefined` stands for `AWS::NoValue`. */
export type Resolved = undefined | null | boolean | number | string | Resolved[] | { [key: string]: Resolved };

/** The names that functions can resolve. */
export interface Scope {
  readonly template: Pick<Template, 'Mappings' | 'Transform'>;
  readonly parameters: ReadonlyMap<string, ParameterValue>;
  /** `AWS::Region` and its like. */
  readonly pseudo: Readonly<Record<string, Resolved>>;
  readonly region: string;
  readonly zones: readonly string[];
  condition(name: string): boolean;
  /** The result of `Ref` for a resource. */
  ref(logicalId: string): Resolved;
  attribute(logicalId: string, attribute: string): Resolved;
  importValue(exportName: string): string;
}

/** Everything that identifies the stack to its template. */
export interface StackIdentity {
  readonly accountId: string;
  readonly region: string;
  readonly stackName: string;
  readonly stackId: string;
  readonly notificationArns?: readonly string[];
}

/** User Guide, "Pseudo parameters reference". */
export const pseudoParameters = (stack: StackIdentity): Readonly<Record<string, Resolved>> => ({
  'AWS::AccountId': stack.accountId,
  'AWS::NotificationARNs': [...(stack.notificationArns ?? [])],
  'AWS::NoValue': undefined,
  'AWS::Partition': 'aws',
  'AWS::Region': stack.region,
  'AWS::StackId': stack.stackId,
  'AWS::StackName': stack.stackName,
  'AWS::URLSuffix': 'amazonaws.com',
});

/** Carries out the functions inside an argument. */
export type Resolver = (value: TemplateValue) => Resolved;

/** One intrinsic function: its unresolved argument and what it may look at. */
export type Intrinsic = (argument: TemplateValue, scope: Scope, resolve: Resolver) => Resolved;
