import { bakeUnderWay, decideBake, type OwnBake } from '../../decide/image/decide-bake.ts';
import { longestBakeMs } from '../../decide/image/decide-scheduled.ts';
import type { ImagePorts } from '../../image-ports.ts';
import { bakeIdAt, giveUp, sweepImages, takeStep } from './bake-steps.ts';

/** How often a bake looks. */
const lookEveryMs = 10_000;

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
  await sweepImages(ports, await ports.read());
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
      clock.now() - begun > longestBakeMs && decided.kind !== 'done'
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
      case 'finish':
        await takeStep(ports, step);
        break;
      case 'done':
        await sweepImages(ports, facts, own?.bakeId);
        return { image: step.image.id };
      case 'fail':
        await giveUp(ports, own?.bakeId);
        return {
          failed: step.reason,
          ...('instance' in step && step.instance !== undefined ? { instance: step.instance } : {}),
        };
      default:
        tell(await takeStep(ports, step));
    }
    await clock.sleep(lookEveryMs, signal);
  }
}
