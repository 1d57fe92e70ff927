import { CfnOutput } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Outputs of a module by the specification's name, each with what it is. */
export type Outputs = Readonly<Record<string, string>>;

/** The name that an output has in its stack, where only letters and digits are allowed: `module_version` is `ModuleVersion`. */
export const stackOutputName = (name: string): string =>
  name.replace(/(^|_)([a-z])/g, (_, _underscore: string, letter: string) => letter.toUpperCase());

/** Writes every output of a module into its stack. */
export function addOutputs<Table extends Outputs>(
  scope: Construct,
  table: Table,
  values: Readonly<Record<keyof Table, string>>,
): void {
  for (const [name, description] of Object.entries(table)) {
    const id = stackOutputName(name);
    new CfnOutput(scope, id, { value: values[name]!, description }).overrideLogicalId(id);
  }
}
