import { ResourceFailure } from '../../errors.ts';
import type { DeployContext, Stack } from '../model.ts';

/** One exported output and the stack it belongs to. */
interface Export {
  readonly stack: Stack;
  readonly name: string;
  readonly value: string;
}

/** All exports of the region. */
export const allExports = (context: Pick<DeployContext, 'stacks'>): Export[] =>
  [...context.stacks()].flatMap((stack) =>
    stack.outputs.flatMap(({ exportName, value }) =>
      exportName === undefined ? [] : [{ stack, name: exportName, value }],
    ),
  );

/** The result of `Fn::ImportValue`. */
export function exportedValue(context: Pick<DeployContext, 'stacks'>, name: string): string {
  const found = allExports(context).find((each) => each.name === name);
  if (found === undefined) throw new ResourceFailure(`No export named ${name} found.`);
  return found.value;
}

/** Names of the stacks that import an export. */
const importersOf = (context: Pick<DeployContext, 'stacks'>, exportName: string): string[] =>
  [...context.stacks()]
    .filter((stack) => stack.status !== 'DELETE_COMPLETE' && stack.imports.has(exportName))
    .map((stack) => stack.name);

/** Why an export may not go away or change: another stack uses it. */
export function exportInUse(
  context: Pick<DeployContext, 'stacks'>,
  exportName: string,
  verb: 'deleted' | 'updated',
): string | undefined {
  const importers = importersOf(context, exportName);
  if (importers.length === 0) return undefined;
  return `Export ${exportName} cannot be ${verb} as it is in use by ${importers.join(' and ')}`;
}
