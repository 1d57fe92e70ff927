import { ResourceFailure } from '../../errors.ts';
import { resolve } from '../../template/functions/resolve.ts';
import type { Scope } from '../../template/functions/scope.ts';
import type { OutputDeclaration } from '../../template/template.ts';
import type { Run, StackOutput } from '../model.ts';
import { scopeOf } from '../resource/scope-of.ts';
import { allExports, exportInUse } from './exports.ts';

/**
 * The outputs of a stack whose resources stand. A dynamic reference stays the text it is: CloudFormation resolves those
 * only in resource properties (User Guide, "Dynamic references").
 */
export function outputsOf(run: Run): StackOutput[] {
  const scope = scopeOf(run);
  const outputs = Object.entries(run.deployment.template.Outputs)
    .filter(([, output]) => output.Condition === undefined || run.deployment.condition(output.Condition))
    .map(([key, output]) => toOutput(key, output, scope));
  refuseTakenExports(run, outputs);
  refuseChangeOfUsedExports(run, outputs);
  return outputs;
}

function toOutput(key: string, output: OutputDeclaration, scope: Scope): StackOutput {
  const value = resolve(output.Value, scope);
  if (typeof value === 'object' || value === undefined)
    throw new ResourceFailure(
      `Template format error: Output ${key} is malformed. The Value field of every Outputs member must evaluate to a String.`,
    );
  const exportName = output.Export === undefined ? undefined : String(resolve(output.Export.Name, scope));
  return {
    key,
    value: String(value),
    ...(output.Description === undefined ? {} : { description: output.Description }),
    ...(exportName === undefined ? {} : { exportName }),
  };
}

function refuseTakenExports(run: Run, outputs: readonly StackOutput[]): void {
  for (const { exportName, key } of outputs) {
    if (exportName !== undefined && outputs.some((other) => other.exportName === exportName && other.key !== key))
      throw new ResourceFailure(
        `Duplicate Export names: ${exportName}. Export names must be unique in an account and region.`,
      );
    const taken = allExports(run.context).find((each) => each.name === exportName && each.stack !== run.stack);
    if (taken !== undefined)
      throw new ResourceFailure(`Export with name ${exportName} is already exported by stack ${taken.stack.name}.`);
  }
}

/** User Guide, "Fn::ImportValue": an output in use by another stack can be neither changed nor removed. */
function refuseChangeOfUsedExports(run: Run, outputs: readonly StackOutput[]): void {
  for (const old of run.stack.outputs) {
    if (old.exportName === undefined) continue;
    const now = outputs.find((each) => each.exportName === old.exportName);
    if (now?.value === old.value) continue;
    const reason = exportInUse(run.context, old.exportName, now === undefined ? 'deleted' : 'updated');
    if (reason !== undefined) throw new ResourceFailure(reason);
  }
}
