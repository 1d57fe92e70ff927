import type { ProcessContext } from '@drover/cloud-machines';
import { installCronTable } from '../../cron-table.ts';
import { installedVersion, installPackage } from '../installed-package.ts';
import type { NodeFacts } from './catalog.ts';
import type { CatalogStep } from './catalog-step.ts';
import { execEffects } from './exec-effects.ts';
import { BootFailure, type SearchMachineHost } from './machine-host.ts';
import { startUnit } from './units.ts';

/** While a machine has this file, each run of its configuration changes something again. */
export const unsettledFile = '/run/never-settles';

/**
 * Applies a catalog in its order; the first failure ends it, as what follows depends on what came before. Returns whether
 * it changed a file, a package or a service; of commands that is not known.
 */
export async function applyCatalog(
  host: SearchMachineHost,
  context: ProcessContext,
  steps: readonly CatalogStep[],
  facts: NodeFacts,
): Promise<boolean> {
  let changed = context.machine.files.has(unsettledFile);
  for (const step of steps) {
    if (step.file !== undefined) changed = writeFile(context, step) || changed;
    else if (step.package !== undefined) changed = ensurePackage(context, step) || changed;
    else if (step.service !== undefined) await startService(host, context, step);
    else if (step.exec !== undefined) await execEffects(host, context, step.exec, facts);
  }
  return changed;
}

function writeFile({ machine }: ProcessContext, step: CatalogStep): boolean {
  const { file, content = step.source } = step;
  if (content === undefined || machine.files.get(file!) === content) return false;
  machine.files.set(file!, content);
  // Units take effect when they are started.
  if (file!.startsWith('/etc/cron.d/')) installCronTable(machine, file!, content);
  return true;
}

/** Of packages only the version of Elasticsearch's is known: a node runs as what is installed when it starts. */
function ensurePackage({ machine }: ProcessContext, { package: name, ensure }: CatalogStep): boolean {
  if (name !== 'elasticsearch' || ensure === undefined) return false;
  const changes = installedVersion(machine) !== ensure;
  if (!installPackage(machine, ensure)) throw new BootFailure('puppet apply failed with exit code 4');
  return changes;
}

async function startService(host: SearchMachineHost, { machine }: ProcessContext, step: CatalogStep): Promise<void> {
  if (step.ensure !== 'running') return;
  if (!(await startUnit(host, machine, step.service!))) throw new BootFailure('puppet apply failed with exit code 6');
}
