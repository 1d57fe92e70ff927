import type { BakeStep } from '../../decide/image/decide-bake.ts';
import { decideSweep } from '../../decide/image/decide-sweep.ts';
import type { ImagePorts } from '../../image-ports.ts';
import type { ImageFacts } from '../../model/image.ts';

/** A step of a bake under way that does something. */
type Act = Extract<BakeStep, { readonly kind: 'create-image' | 'launch-trial' | 'promote' | 'finish' }>;

/** Carries out a step; each may be repeated. Returns what has happened, for people. */
export async function takeStep(ports: ImagePorts, step: Act): Promise<string> {
  switch (step.kind) {
    case 'create-image':
      await ports.createImage(step.instance);
      return `${step.instance.id} is ready: an image is made of it`;
    case 'launch-trial':
      return `${step.image.id} is available: ${await ports.launchTrial(step.image)} tries it`;
    case 'promote':
      await ports.promote(step.image.id);
      return `${step.image.id} has been tried: new instances take it`;
    case 'finish':
      for (const id of step.terminate) await ports.terminate(id);
      return `${step.image.id} is the image of new instances`;
  }
}

/** The instance that baked goes first: without it no process takes the bake up again, and the rest is swept. */
export async function giveUp(ports: ImagePorts, given: string | undefined): Promise<void> {
  const { instances } = await ports.read();
  for (const { id, bakeId, purpose } of instances)
    if (bakeId === given && purpose === 'bake') await ports.terminate(id);
  await sweepImages(ports, await ports.read(), given);
}

/** Removes what earlier bakes have left: `ended` is one that has just ended. */
export async function sweepImages(ports: ImagePorts, facts: ImageFacts, ended?: string): Promise<void> {
  const { terminate, deregister, deleteSnapshots } = decideSweep(facts, ended);
  for (const id of terminate) await ports.terminate(id);
  for (const id of deregister) {
    await ports.deregister(id);
    ports.say(`${id} is removed: no instance has it`);
  }
  for (const id of deleteSnapshots) await ports.deleteSnapshot(id);
}

/** `20261118-160800` */
export const bakeIdAt = (now: number) =>
  new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
