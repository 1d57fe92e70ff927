import type { MachineView, ProcessContext, Program } from '@drover/cloud-machines';
import { facts as names, searchNodeFacts, softwareFile } from '@drover/core/names/search-cluster';
import { installRemoteAgent } from '../../../remote-agent.ts';
import { searchDelays } from '../../search-delays.ts';
import { applyCatalog } from '../apply-catalog.ts';
import { catalogFor, type NodeFacts } from '../catalog.ts';
import type { CatalogStep } from '../catalog-step.ts';
import { BootFailure, type SearchMachineHost } from '../machine-host.ts';
import { lockConfiguration, lockedMessage } from './configuration-lock.ts';

const puppetLog = '/var/log/puppet.log';
const { firstConfiguration: firstRunMs, configuration: laterRunMs } = searchDelays;

/** A failed run of Puppet is followed by one more after this time. */
const pauseMs = 30_000;

/**
 * `bin/configure`: what the role prepares, then what Puppet would change. Exit code 1 and a line in the log on failure;
 * with `--changes` 2 if it changed something.
 */
export function configureCommand(host: SearchMachineHost): Program {
  let applied = false;
  return async (context) => {
    const { machine } = context;
    try {
      if (!(await lockConfiguration(context))) throw new BootFailure(lockedMessage);
      await prepare(machine);
      const apply = async () => await runPuppet(host, context, applied ? laterRunMs : firstRunMs);
      const changed = await apply().catch(async (error: unknown) => {
        if (!(error instanceof BootFailure)) throw error;
        fail(context, `${error.message}; trying once more`);
        await context.clock.sleep(pauseMs);
        return await apply();
      });
      applied = true;
      return changed && context.argv.includes('--changes') ? 2 : 0;
    } catch (error) {
      if (!(error instanceof BootFailure)) throw error;
      fail(context, error.message);
      return 1;
    }
  };
}

async function runPuppet(
  host: SearchMachineHost,
  context: ProcessContext,
  takesMs: { readonly least: number; readonly most: number },
): Promise<boolean> {
  await context.clock.sleep(context.random.int(takesMs.least, takesMs.most));
  const facts = readFacts(context.machine);
  const version = takenVersion(context.machine) ?? String(facts.drover.module_version);
  const steps = catalogFor(facts, host.catalogs?.(version));
  return await applyCatalog(host, context, withSoftware(host, version, steps), facts);
}

/** The version of the software that the machine has by its pointer. */
function takenVersion({ files }: MachineView): string | undefined {
  const taken = files.get(softwareFile);
  return taken === undefined ? undefined : (JSON.parse(taken) as { version: string }).version;
}

/** The files of a version have more lines, if the simulation says so. */
function withSoftware({ filesOf }: SearchMachineHost, version: string, steps: readonly CatalogStep[]) {
  const more = filesOf?.(version) ?? {};
  return steps.map((step) => ({ ...step, ...contentOf(step, more[step.file ?? '']) }));
}

const contentOf = ({ content }: CatalogStep, more: string | undefined) =>
  content === undefined || more === undefined ? {} : { content: `${content}${more}` };

async function prepare(machine: MachineView): Promise<void> {
  const { drover } = customFacts(machine);
  const { hiera_config, manifest } = drover.puppet as { hiera_config: string; manifest: string };
  for (const path of [hiera_config, manifest])
    if (!machine.files.has(path))
      throw new BootFailure(`${path} does not exist; is the package that brings it in the input packages?`);
  installRemoteAgent(machine, drover.remote_agent as string | undefined);
  const [program, ...words] = drover.prepare as [string, ...string[]];
  const { exitCode, stderr } = await machine.runCommand([`/opt/drover/${program}`, ...words].join(' '));
  if (exitCode !== 0)
    throw new BootFailure(`what this configuration needs to know cannot be found out: ${stderr.trim()}`);
}

const customFacts = (machine: MachineView) =>
  JSON.parse(machine.files.get(names.files[0]) ?? '{}') as Omit<NodeFacts, 'search_node'>;

function readFacts(machine: MachineView): NodeFacts {
  const prepared = JSON.parse(machine.files.get(searchNodeFacts.file) ?? '{}') as Pick<NodeFacts, 'search_node'>;
  const facts = { ...customFacts(machine), ...prepared };
  // As init.pp has it: the version passed to the node comes before its user data.
  const version = prepared.search_node?.version ?? facts.elasticsearch.version;
  return { ...facts, elasticsearch: { ...facts.elasticsearch, version } };
}

function fail({ machine, stderr }: ProcessContext, message: string): void {
  machine.files.set(puppetLog, `${machine.files.get(puppetLog) ?? ''}configure (err): ${message}\n`);
  stderr(`configure: ${message}\n`);
}
