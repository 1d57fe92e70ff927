import { bakeUnderWay, decideBake, type OwnBake } from '../../decide/image/decide-bake.ts';
import { decideSweep } from '../../decide/image/decide-sweep.ts';
import type { ImagePorts } from '../../image-ports.ts';

/** How often a bake looks. */
const lookEveryMs = 10_000;
/** The longest that one process goes on: every wait is shorter, and an act that never takes effect would be repeated for ever. */
const longestMs = 3 * 3_600_000;

type BakeOutcome =
  | { readonly image: string }
  /** `instance` is the one whose log says more. */
  | { readonly failed: string; readonly instance?: string };

/**
 * Bakes an image and has new instances take it. A bake that another process has begun is finished instead of a new one. The image that was
 * in use stays so until the new one has been tried.
 */
export async function bakeImage(ports: ImagePorts, signal?: AbortSignal): Promise<BakeOutcome> {
  const { clock, say } = ports;
  const begun = clock.now();
  await sweepImages(ports);
  let own: OwnBake | undefined;
  let told = '';
  const tell = (text: string) => {
    if (text !== told) say(text);
    told = text;
  };
  for (;;) {
    const facts = await ports.read();
    const found = own === undefined ? bakeUnderWay(facts) : undefined;
    if (found !== undefined) {
      own = { bakeId: found.bakeId };
      tell(`the bake ${found.bakeId} is under way: it is finished`);
    }
    const decided = decideBake(facts, clock.now(), own);
    const step =
      clock.now() - begun > longestMs && decided.kind !== 'done'
        ? ({ kind: 'fail', reason: 'the bake has taken three hours' } as const)
        : decided;
    switch (step.kind) {
      case 'launch': {
        own = { bakeId: bakeIdAt(clock.now()), launchedAt: clock.now() };
        tell(`bake ${own.bakeId}: ${await ports.launch(own.bakeId)} boots from the base image`);
        break;
      }
      case 'wait':
        tell(`waiting ${step.what}`);
        break;
      case 'create-image':
        tell(`${step.instance.id} is ready: an image is made of it`);
        await ports.createImage(step.instance);
        break;
      case 'launch-trial':
        tell(`${step.image.id} is available: ${await ports.launchTrial(step.image)} tries it`);
        break;
      case 'promote':
        tell(`${step.image.id} has been tried: new instances take it`);
        await ports.promote(step.image.id);
        break;
      case 'finish':
        for (const id of step.terminate) await ports.terminate(id);
        break;
      case 'done':
        await sweepImages(ports, own?.bakeId);
        return { image: step.image.id };
      case 'fail':
        await giveUp(ports, own);
        return {
          failed: step.reason,
          ...('instance' in step && step.instance !== undefined ? { instance: step.instance } : {}),
        };
    }
    await clock.sleep(lookEveryMs, signal);
  }
}

/** The instance that baked goes first: without it no process takes the bake up again, and the rest is swept. */
async function giveUp(ports: ImagePorts, own: OwnBake | undefined): Promise<void> {
  const { instances } = await ports.read();
  for (const { id, bakeId, purpose } of instances)
    if (bakeId === own?.bakeId && purpose === 'bake') await ports.terminate(id);
  await sweepImages(ports, own?.bakeId);
}

/** Removes what earlier bakes have left: `ended` is one that has just ended. */
async function sweepImages(ports: ImagePorts, ended?: string): Promise<void> {
  const { terminate, deregister, deleteSnapshots } = decideSweep(await ports.read(), ended);
  for (const id of terminate) await ports.terminate(id);
  for (const id of deregister) {
    await ports.deregister(id);
    ports.say(`${id} is removed: no instance has it`);
  }
  for (const id of deleteSnapshots) await ports.deleteSnapshot(id);
}

/** `20261118-160800` */
const bakeIdAt = (now: number) => new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
