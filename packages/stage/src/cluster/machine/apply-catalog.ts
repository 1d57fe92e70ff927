import type { ProcessContext } from '@drover/cloud-machines';
import { installCronTable } from '../../cron-table.ts';
import { installPackage } from '../installed-package.ts';
import type { NodeFacts } from './catalog.ts';
import type { CatalogStep } from './catalog-step.ts';
import { execEffects } from './exec-effects.ts';
import { BootFailure, type SearchMachineHost } from './machine-host.ts';
import { startUnit } from './units.ts';

/** Applies a catalog in its order; the first failure ends it, as what follows depends on what came before. */
export async function applyCatalog(
  host: SearchMachineHost,
  context: ProcessContext,
  steps: readonly CatalogStep[],
  facts: NodeFacts,
): Promise<void> {
  for (const step of steps) {
    if (step.file !== undefined) writeFile(context, step);
    else if (step.package !== undefined) ensurePackage(context, step);
    else if (step.service !== undefined) await startService(host, context, step);
    else if (step.exec !== undefined) await execEffects(host, context, step.exec, facts);
  }
}

function writeFile({ machine }: ProcessContext, step: CatalogStep): void {
  const { file, content = step.source } = step;
  if (content === undefined || machine.files.get(file!) === content) return;
  machine.files.set(file!, content);
  // Units take effect when they are started.
  if (file!.startsWith('/etc/cron.d/')) installCronTable(machine, file!, content);
}

/** Of packages only the version of Elasticsearch's is known: a node runs as what is installed when it starts. */
function ensurePackage({ machine }: ProcessContext, { package: name, ensure }: CatalogStep): void {
  if (name !== 'elasticsearch' || ensure === undefined) return;
  if (!installPackage(machine, ensure)) throw new BootFailure('puppet apply failed with exit code 4');
}

async function startService(host: SearchMachineHost, { machine }: ProcessContext, step: CatalogStep): Promise<void> {
  if (step.ensure !== 'running') return;
  if (!(await startUnit(host, machine, step.service!))) throw new BootFailure('puppet apply failed with exit code 6');
}
