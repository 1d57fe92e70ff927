import type { FleetAws } from '@drover/adapters/aws';
import type { BootProgram, MachineView, ProcessContext } from '@drover/cloud-machines';
import type { World } from '@drover/cloud-world';
import { imageReportKey, imageTags } from '@drover/core/names/runner-fleet';
import { factsFile } from '@drover/runner-agent';

/** The file by which the boots of an image know that it is baked. */
export const imageManifest = '/etc/drover/image.json';
/** A boot that finds everything on its disk. */
export const bakedConfigurationMs = { least: 4_000, most: 12_000 };

interface Host {
  readonly aws: (context: ProcessContext) => Pick<FleetAws, 's3'>;
  /** Writes the files of the user data. */
  readonly prepare: (machine: MachineView) => void;
  readonly configurationMs: { readonly least: number; readonly most: number };
  /** The version of the runner software that the mirror has; undefined if the user data names one. */
  readonly runnerVersion: (context: ProcessContext) => Promise<string | undefined>;
}

/**
 * The boot of an instance that bakes an image or tries one, as the boot script does it as far as others see it: it configures itself,
 * registers nowhere, puts its report into the fleet's bucket and powers off. Sysprep itself is not simulated.
 */
export function imageBoot(world: World, { aws, prepare, configurationMs, runnerVersion }: Host): BootProgram {
  return async (context) => {
    const { machine, clock, random } = context;
    const { id } = machine.instance;
    prepare(machine);
    const [bakeId, trialOf] = [machine.instance.tags[imageTags.bake], machine.instance.tags[imageTags.trial]];
    const { least, most } = machine.files.has(imageManifest) ? bakedConfigurationMs : configurationMs;
    await clock.sleep(random.int(least, most));
    const operation = bakeId === undefined ? 'try-image' : 'bake';
    const fault = world.engine.faults.strike({ service: 'machine', operation, subject: id }, [
      'boot-failure',
      'timeout',
    ]);
    if (fault?.kind === 'timeout') return await new Promise<number>(() => {});
    const reason = fault === undefined ? undefined : 'bin/configure returned non-zero exit status 1';
    const report =
      bakeId === undefined
        ? trialReport(machine, reason)
        : bakeReport(machine, reason, reason === undefined ? await runnerVersion(context) : undefined);
    await put(context, aws(context), imageReportKey(bakeId ?? trialOf ?? '', id), report);
    machine.powerOff();
    return 0;
  };
}

function bakeReport({ files, instance }: MachineView, reason: string | undefined, version: string | undefined) {
  if (reason !== undefined) return { baked: false, reason };
  const manifest = {
    base: instance.imageId,
    files: files.size,
    ...(version === undefined ? {} : { runner: { version } }),
  };
  files.set(imageManifest, JSON.stringify(manifest));
  return { baked: true, manifest };
}

function trialReport({ files }: MachineView, reason: string | undefined) {
  if (reason !== undefined) return { served: false, reason };
  return files.has(imageManifest) ? { served: true } : { served: false, reason: `${imageManifest} is missing` };
}

async function put({ machine, clock }: ProcessContext, { s3 }: Pick<FleetAws, 's3'>, Key: string, report: object) {
  const facts = JSON.parse(machine.files.get(factsFile) ?? '{}') as { actions_runner?: { host_reports?: string } };
  const Bucket = facts.actions_runner?.host_reports?.split('/')[0] ?? '';
  for (;;)
    try {
      await s3('PutObject', { Bucket, Key, Body: JSON.stringify(report), ContentType: 'application/json' });
      return;
    } catch {
      await clock.sleep(10_000);
    }
}
