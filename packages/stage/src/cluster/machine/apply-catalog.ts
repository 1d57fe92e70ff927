import type { ProcessContext } from '@drover/cloud-machines';
import type { CatalogStep, NodeFacts } from './catalog.ts';
import { execEffects } from './exec-effects.ts';
import type { SearchMachineHost } from './machine-host.ts';
import { packageFile } from './node-settings.ts';
import { installUnit, startUnit } from './units.ts';

/** Applies a catalog in its order; the first failure ends it, as what follows depends on what came before. */
export async function applyCatalog(
  host: SearchMachineHost,
  context: ProcessContext,
  steps: readonly CatalogStep[],
  facts: NodeFacts,
): Promise<void> {
  for (const step of steps) {
    if (step.file !== undefined) writeFile(context, step);
    else if (step.package !== undefined) installPackage(context, step);
    else if (step.service !== undefined) startService(host, context, step);
    else if (step.exec !== undefined) await execEffects(host, context, step.exec, facts);
  }
}

function writeFile({ machine }: ProcessContext, { file, content }: CatalogStep): void {
  if (content === undefined || machine.files.get(file!) === content) return;
  machine.files.set(file!, content);
  installUnit(machine, file!, content);
}

/** Packages are not installed; what a node runs as is the version of one of them. */
function installPackage({ machine }: ProcessContext, step: CatalogStep): void {
  if (step.package === 'elasticsearch' && step.ensure !== undefined) machine.files.set(packageFile, step.ensure);
}

function startService(host: SearchMachineHost, context: ProcessContext, { service, ensure }: CatalogStep): void {
  if (ensure === 'running') startUnit(host, context.machine, service!);
}
