import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Outputs of a construct in snake_case, each with its meaning. */
export type Outputs = Readonly<Record<string, string>>;

/** The name that an output has in its stack, where only letters and digits are allowed: `module_version` is `ModuleVersion`. */
export const stackOutputName = (name: string): string =>
  name.replace(/(^|_)([a-z])/g, (_, _underscore: string, letter: string) => letter.toUpperCase());

/**
 * Writes every output of a construct that has a value into its stack. In a stack of several constructs an output whose name is taken by another
 * value gets the construct's id before it: `AlarmTopicArn`, then `SearchClusterAlarmTopicArn`.
 */
export function addOutputs<Table extends Outputs>(
  scope: Construct,
  table: Table,
  values: Readonly<Record<keyof Table, string | undefined>>,
): void {
  const taken = takenIn(Stack.of(scope));
  for (const [name, description] of Object.entries(table)) {
    const plain = stackOutputName(name);
    const value = values[name];
    if (value === undefined || taken.get(plain) === value) continue;
    const id = taken.has(plain) ? `${stackOutputName(scope.node.id)}${plain}` : plain;
    new CfnOutput(scope, id, { value, description }).overrideLogicalId(id);
    taken.set(id, value);
  }
}

const outputsOf = new WeakMap<Stack, Map<string, string>>();

function takenIn(stack: Stack): Map<string, string> {
  const taken = outputsOf.get(stack) ?? new Map<string, string>();
  outputsOf.set(stack, taken);
  return taken;
}
