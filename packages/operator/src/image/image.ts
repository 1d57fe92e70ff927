import { setImage } from '@drover/adapters/aws';
import { TerminalError } from '@drover/core';
import { instanceLogGroup } from '@drover/core/names/runner-fleet';
import { bakeImage, type GroupImage, type ImageFacts } from '@drover/runner-fleet';
import { nextLook } from '../delete-stack.ts';
import { exitCodes } from '../exit-codes.ts';
import { openFleet } from '../fleet/open-fleet.ts';
import { type DroverIo, serviceNow } from '../io.ts';
import { type Format, json, recordTable } from '../render/table.ts';
import { groupImages } from './group-images.ts';
import { readSchedule, scheduleLines } from './image-schedule.ts';

interface ImageOptions {
  readonly stack: string;
  readonly type?: string | undefined;
}

/** `drover image bake`: makes an image of the group's instances as they are after a boot, tries it, and has new instances take it. */
export async function imageBake(io: DroverIo, options: ImageOptions & { readonly dryRun: boolean }): Promise<number> {
  const group = await openFleet(io, options);
  const { ports, say } = await open(io, group);
  if (options.dryRun) {
    say(plan(await ports.read(), group.groupName));
    return exitCodes.done;
  }
  const outcome = await bakeImage(ports, io.signal).catch((error: unknown) => {
    if (io.signal.aborted) return undefined;
    throw error;
  });
  if (outcome === undefined) {
    say('interrupted: run the same command again, and it goes on');
    return exitCodes.interrupted;
  }
  if ('image' in outcome) {
    say(`${outcome.image} is the image of new instances of ${group.groupName}`);
    return exitCodes.done;
  }
  const { failed, instance } = outcome;
  const logs = `the log group ${instanceLogGroup(group.fleetName)}`;
  throw new TerminalError(`${failed}; new instances take the same image as before`, {
    remedy:
      instance === undefined
        ? 'run it again'
        : `see what the instance sent (drover fleet logs ${instance} --since 2h --stack ${options.stack}; ${logs}, streams ${instance}/…), and run it again`,
  });
}

/** `drover image list`: the images of a group that bakes have made. */
export async function imageList(io: DroverIo, options: ImageOptions & { readonly format: Format }): Promise<number> {
  const group = await openFleet(io, { ...options, readOnly: true });
  const { ports, say } = await open(io, group);
  const facts = await ports.read();
  const rows = [...facts.images].sort((a, b) => b.createdAt - a.createdAt).map((image) => shown(image, facts));
  const days = group.imageBakeDays;
  const schedule = days === undefined ? undefined : await readSchedule(ports, facts, days);
  if (options.format === 'json') io.stdout(json({ current: facts.current, images: rows, ...schedule }));
  else if (rows.length === 0) say(`${group.groupName} has no baked image; new instances take ${facts.current}`);
  else {
    io.stdout(recordTable(rows, 'image', 'made', 'of', 'state'));
    if (!facts.images.some(({ id }) => id === facts.current))
      say(`new instances take ${facts.current}, which is not baked`);
  }
  if (schedule !== undefined && options.format !== 'json') scheduleLines(schedule, serviceNow(io)).forEach(say);
  return exitCodes.done;
}

/** `drover image use`: has new instances take another image, for example the one before, or the base image. */
export async function imageUse(io: DroverIo, imageId: string, options: ImageOptions): Promise<number> {
  const group = await openFleet(io, options);
  const { ports, say } = await open(io, group);
  const isBase = imageId === ports.baseImage;
  const image = (await ports.read()).images.find(({ id }) => id === imageId);
  if (!isBase && image?.state !== 'available')
    throw new TerminalError(`${group.groupName} has no baked image ${imageId} that is available`, {
      remedy: `drover image list --stack ${options.stack} shows those that it has; its base image is ${ports.baseImage}`,
    });
  // The base image belongs to its maker: it gets no tag.
  if (isBase) await setImage(group.calls, group.groupName, imageId);
  else await ports.promote(imageId);
  for (let looks = 0; (await ports.read()).current !== imageId; looks++) {
    if (looks === mostLooks)
      throw new TerminalError(`Systems Manager has not taken ${imageId}`, { remedy: 'run it again' });
    await nextLook(io);
  }
  say(`${imageId} is the image of new instances of ${group.groupName}`);
  return exitCodes.done;
}

/** Two minutes. */
const mostLooks = 12;

async function open(io: DroverIo, group: Awaited<ReturnType<typeof openFleet>>) {
  const say = (text: string) => io.stdout(`${text}\n`);
  return { say, ports: await groupImages(group, io.clock, say) };
}

const shown = ({ id, createdAt, baseImage, state, promotedAt }: GroupImage, { current, inUse }: ImageFacts) => ({
  id,
  made: new Date(createdAt).toISOString(),
  base: baseImage,
  state: [
    ...(id === current ? ['taken by new instances'] : []),
    ...(inUse.includes(id) ? ['in use'] : []),
    ...(state === 'available' ? [] : [state]),
    ...(promotedAt === undefined ? ['not tried'] : []),
  ].join(', '),
});

function plan(facts: ImageFacts, groupName: string): string {
  const bake = facts.instances.find(
    ({ purpose, state }) => purpose === 'bake' && state !== 'terminated' && state !== 'shutting-down',
  );
  const first =
    bake === undefined
      ? 'an instance boots from the base image, with a role of its own and outside of the group'
      : `the bake ${bake.bakeId}, which is under way on ${bake.id}, goes on`;
  return [
    'This would happen:',
    `1. ${first}; it configures itself as a runner does, without registering, and powers off`,
    '2. an image is made of it, and an instance of that image tries it',
    `3. new instances of ${groupName} take the image (now: ${facts.current}); instances that run stay as they are`,
    '4. both instances are terminated; images but the present and the previous one go, unless an instance has them',
    'Nothing was changed.',
  ].join('\n');
}
