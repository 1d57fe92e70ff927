import { hostNames } from '@drover/core/names/search-cluster';
import { moduleVersion } from '@drover/core/names/version';
import type { Contradiction, NameOf } from '../inputs/check-inputs.ts';
import { isOlder, numbersOf } from '../inputs/shapes.ts';
import { longCertificateName, unclearReach } from '../inputs/shared-contradictions.ts';
import type { SearchUiInputs } from './props.ts';
import type { SearchUiSettings } from './settings.ts';

/** Inputs that are valid one by one, but not together. */
export function contradictions(inputs: SearchUiInputs, settings: SearchUiSettings, name: NameOf): Contradiction[] {
  return [
    otherModuleVersion(settings, name),
    otherKibana(settings, name),
    unknownTaskSize(settings, name),
    ...unclearReach(inputs, name),
    longCertificateName(hostNames.ui, inputs, name),
  ];
}

/** Inputs may change with a major version, and before 1.0 with a minor one; a module older than its configuration may lack some. */
export function fits(wanted: string, installed: string): boolean {
  const [[major, minor], [ownMajor, ownMinor]] = [numbersOf(wanted), numbersOf(installed)];
  const sameLine = major === ownMajor && (major !== 0 || minor === ownMinor);
  return sameLine && !isOlder(installed, wanted);
}

function otherModuleVersion({ version }: SearchUiSettings, name: NameOf): Contradiction {
  if (fits(version, moduleVersion)) return undefined;
  return {
    key: name('version'),
    problem: `the configuration was written for ${version}, but this module is ${moduleVersion}`,
    remedy: `Read CHANGELOG.md, adapt the configuration and set it to ${moduleVersion}, or install the module ${version}`,
  };
}

/** "Running different major version releases of Kibana and Elasticsearch is not supported, nor newer Kibana" (Kibana guide, "Set up"). */
function otherKibana({ kibanaVersion, elasticsearchVersion }: SearchUiSettings, name: NameOf): Contradiction {
  const key = name('kibana_version');
  const remedy = `Give ${elasticsearchVersion}, or leave it out`;
  if (numbersOf(kibanaVersion)[0] !== numbersOf(elasticsearchVersion)[0])
    return { key, problem: `${kibanaVersion} cannot talk to Elasticsearch ${elasticsearchVersion}`, remedy };
  if (isOlder(elasticsearchVersion, kibanaVersion))
    return { key, problem: `${kibanaVersion} is newer than Elasticsearch ${elasticsearchVersion}`, remedy };
  return undefined;
}

/** Least and most MiB for CPU units, in steps of 1024 (ECS developer guide, "Task CPU and memory" for Fargate). */
const memoryFor: Readonly<Record<number, readonly [least: number, most: number]>> = {
  512: [1024, 4096],
  1024: [2048, 8192],
  2048: [4096, 16_384],
  4096: [8192, 30_720],
};

function unknownTaskSize({ taskCpu, taskMemory }: SearchUiSettings, name: NameOf): Contradiction {
  const [least, most] = memoryFor[taskCpu]!;
  if (taskMemory >= least && taskMemory <= most && taskMemory % 1024 === 0) return undefined;
  return {
    key: name('task_memory'),
    problem: `Fargate has no task of ${taskCpu} CPU units and ${taskMemory} MiB`,
    remedy: `Give ${least} to ${most} in steps of 1024, or another ${name('task_cpu')}`,
  };
}
