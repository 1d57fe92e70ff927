import { operatorIo } from '@drover/local/truth/real-doctor';
import { imageBake } from '@drover/operator/image/image';
import type { DeployedFleet } from '@drover/stage/fleet';
import { fleetStackName } from '@drover/stage/fleet-template';
import { CheckedFleetStage } from './checked-fleet-stage.ts';
import { bakingInstances, readImages } from './image-reads.ts';

const minute = 60_000;

export const imageLifeInputs = {
  scalingMode: 'jobs',
  asgMinSize: 0,
  asgMaxSize: 2,
  idleRunnersTargetCount: 0,
  bakedImage: true,
  imageBakeDays: 7,
} as const;

/**
 * The life of a fleet that bakes its images by itself: the trial of the first one fails, and a bake that an operator's command has only
 * begun is finished. In the end there is one image, which new instances take, and nothing else.
 */
export async function playImageLife(
  before: (fleet: DeployedFleet) => void = () => {},
  assembly?: string,
): Promise<CheckedFleetStage> {
  const stage = await CheckedFleetStage.open(imageLifeInputs, { assembly, before });
  const { fleet } = stage;
  stage.fault({ service: 'machine', operation: 'try-image', times: 1, effect: { kind: 'boot-failure' } });
  const ofBakes = () => bakingInstances(stage);
  let begun = false;
  await fleet.until(
    'the first bake has failed, and its instances are gone',
    () => {
      begun ||= ofBakes().length > 1;
      return begun && ofBakes().length === 0;
    },
    5 * 60 * minute,
  );
  const stop = new AbortController();
  const io = { ...operatorIo(fleet, () => {}), signal: stop.signal };
  const baking = imageBake(io, { stack: fleetStackName, dryRun: false });
  await fleet.until('the command has launched an instance', () => ofBakes().length > 0, 10 * minute);
  stop.abort();
  await fleet.drive(baking, 10 * minute);
  await fleet.until('the second bake is over', () => ofBakes().length === 0, 5 * 60 * minute);
  await stage.pass(15);
  const { images, snapshots, current } = await readImages(stage);
  if (images.length !== 1 || images[0] !== current || snapshots !== 1)
    throw new Error(`new instances take ${current}, of ${images.join(', ')} with ${snapshots} snapshots`);
  return stage;
}
