import { isBalanced } from '@drover/adapters/aws';
import { restartTag, trafficNoteFile, trafficTag } from '@drover/core/names/search-cluster';
import { replyIn, restartMark, restartOver, type TrafficNote } from '@drover/search-cluster';
import type { OwnTraffic } from '@drover/search-cluster/ports';
import type { Context } from '../../context.ts';

/** The content of the file; with `ending` only the tag is left to change. */
interface KeptNote extends Partial<TrafficNote> {
  readonly ending?: true;
}

/** The request of this node to the function that may change targets: a note on its disk, and tags of its instance. */
export function ownTraffic(context: Context): OwnTraffic {
  const { files } = context.io;
  const kept = async () => JSON.parse((await files.read(trafficNoteFile)) ?? '{}') as KeptNote;
  const keep = (note: KeptNote) => files.write(trafficNoteFile, `${JSON.stringify(note)}\n`);
  const mark = async (text: string) => {
    const { tags } = (await context.aws()).roles;
    await tags.set(await context.metadata.instanceId(), { [restartTag]: text });
  };
  let balanced: boolean | undefined;
  const isOwnBalanced = async () => {
    balanced ??= await isBalanced((await context.aws()).clients, await context.metadata.instanceId());
    return balanced;
  };
  return {
    read: async () => {
      const { since, askedAt } = await kept();
      if (since === undefined || askedAt === undefined)
        return (await isOwnBalanced()) ? { note: undefined, reply: undefined } : undefined;
      return { note: { since, askedAt }, reply: replyIn(await ownTag(context, trafficTag)) };
    },
    ask: async (note) => {
      await keep(note);
      await mark(restartMark(note.askedAt));
    },
    over: async () => {
      const { since, ending } = await kept();
      if (since === undefined && ending === undefined) return;
      await keep({ ending: true });
      await mark(restartOver);
      await keep({});
    },
  };
}

async function ownTag(context: Context, key: string): Promise<string | undefined> {
  const instanceId = await context.metadata.instanceId();
  return await (await context.aws()).roles.tags.read(instanceId, key);
}
