import { CfnParameter, type CfnParameterProps, type Stack } from 'aws-cdk-lib';

/** A parameter as the console shows it. */
export interface ShownParameter extends Omit<CfnParameterProps, 'type' | 'description'> {
  readonly label: string;
  readonly description: string;
  /** @default String */
  readonly type?: string;
}

/** The parameters of a template, in the groups and with the labels in which the CloudFormation console shows them. */
export class Parameters {
  readonly #stack: Stack;
  readonly #groups = new Map<string, string[]>();
  readonly #labels: Record<string, { readonly default: string }> = {};

  constructor(stack: Stack) {
    this.#stack = stack;
  }

  /** Adds a parameter; returns the reference to it. */
  add(group: string, name: string, { label, ...props }: ShownParameter): string {
    this.show(group, name, label);
    return new CfnParameter(this.#stack, name, { type: 'String', ...props }).valueAsString;
  }

  /** Puts a parameter that the stack has already into a group. */
  show(group: string, name: string, label: string): void {
    this.#groups.set(group, [...(this.#groups.get(group) ?? []), name]);
    this.#labels[name] = { default: label };
  }

  /** Writes groups and labels (User Guide, "AWS::CloudFormation::Interface"). */
  describe(description: string): void {
    const groups = [...this.#groups].map(([label, names]) => ({ Label: { default: label }, Parameters: names }));
    this.#stack.templateOptions.description = description;
    this.#stack.templateOptions.metadata = {
      'AWS::CloudFormation::Interface': { ParameterGroups: groups, ParameterLabels: this.#labels },
    };
  }
}
