import { stateObjects, upgradeIntents } from '@drover/adapters/aws';
import { type Refusal, TerminalError, TransientError } from '@drover/core';
import { restartNoteFile, searchNodeFacts } from '@drover/core/names/search-cluster';
import { compareVersions, decideNodeVersion, isOlder } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import { type InstanceFacts, textFact } from '../../facts.ts';
import { membersAt } from '../members.ts';
import { abandon } from './abandon.ts';
import { knownFacts, localNode } from './local-node.ts';

/**
 * The version for the configuration run that follows, where it is not the user data's. A node that was never configured must not be older
 * than the cluster that it will join.
 */
export async function versionOf(
  context: Context,
  facts: InstanceFacts,
  told: string | undefined,
): Promise<{ readonly version?: string } | Refusal> {
  const { version: launched, master_url: url } = facts.elasticsearch;
  if (typeof launched !== 'string') return {};
  const known = await context.io.files.read(searchNodeFacts.file);
  if (known === undefined && told === undefined)
    return typeof url === 'string' ? await versionToJoin(context, facts, url, launched) : {};
  const local = await localNode(context);
  const version = decideNodeVersion({ launched, told, running: local.version, ...(await inPlace(context, known)) });
  if (typeof version !== 'string') return version;
  if (told === undefined && local.alone && typeof url === 'string') await giveUpWhenTooOld(context, url, version);
  return launched === version ? {} : { version };
}

/** The version on disk. */
async function inPlace({ io: { files } }: Context, known: string | undefined) {
  const [, installed] = installedPackage.exec((await files.read(packagesFile)) ?? '') ?? [];
  const note = JSON.parse((await files.read(restartNoteFile)) ?? '{}') as { readonly version?: string };
  return { installed, stopped: note.version, written: knownFacts(known).version };
}

/** The list of packages that dpkg has installed (dpkg(1), FILES). */
const packagesFile = '/var/lib/dpkg/status';
const installedPackage =
  /^Package: elasticsearch\nStatus: \S+ ok installed\n(?:(?!\n).*\n)*?Version: (\d+\.\d+\.\d+)$/m;

/**
 * A new node runs what its cluster was upgraded to in place; the user data is older then, until something else changes it. Elasticsearch
 * refuses a node that is older than all others, and it would try for ever.
 */
async function versionToJoin(
  context: Context,
  facts: InstanceFacts,
  url: string,
  own: string,
): Promise<{ readonly version?: string }> {
  const { clients } = await context.aws();
  const bucket = textFact(facts, 'state_bucket');
  const versions = [...(await runningVersions(context, url, stateObjects(clients, bucket)))].sort(compareVersions);
  const [oldest, newest] = [versions[0], versions.at(-1)];
  if (oldest === undefined || newest === undefined || own === newest) return {};
  const intents = upgradeIntents(clients, bucket);
  // A deployment with a newer version upgrades nothing: that is what drover cluster upgrade does.
  if (isOlder(newest, own)) return (await intents.read(own)) === undefined ? { version: newest } : {};
  if ((await intents.read(newest)) !== undefined) return { version: newest };
  if (!isOlder(own, oldest)) return {};
  throw new TerminalError(`this node would run ${own}, but every node of the cluster runs ${oldest} or newer`, {
    remedy: `set elasticsearch_version to ${oldest} and deploy`,
  });
}

/**
 * The cluster may have ended an upgrade after the first run: a node that has not joined by then never will. A launch is given up, unless
 * the node holds data, and the next instance starts with the right version.
 */
async function giveUpWhenTooOld(context: Context, url: string, own: string): Promise<void> {
  const [oldest] = [...(await versionsAt(context, url))].sort(compareVersions);
  if (oldest === undefined || !isOlder(own, oldest)) return;
  const reason = `this node runs ${own} and has not joined, but every node of the cluster runs ${oldest} or newer`;
  const abandoned = (await abandon(context, { args: {}, options: { reason } })) === exitCodes.done;
  const remedy = abandoned
    ? 'nothing: the next instance runs the version of the cluster'
    : 'terminate this instance when the cluster is green: the next one runs the version of the cluster';
  throw new TerminalError(reason, { remedy });
}

/** A node that starts with the wrong version never joins, so a cluster that has formed is waited for; what comes then is a launch that is given up. */
const versionPatienceMs = 15 * 60_000;
const versionPauseMs = 15_000;

async function runningVersions(
  context: Context,
  url: string,
  state: ReturnType<typeof stateObjects>,
): Promise<readonly string[]> {
  const { clock, signal } = context.io;
  const deadlineAt = clock.now() + versionPatienceMs;
  for (;;) {
    const versions = await versionsAt(context, url);
    if (versions.length > 0 || (await state.read('formed')) === undefined) return versions;
    if (clock.now() >= deadlineAt) throw new TransientError(`no node at ${url} says which version the cluster runs`);
    await clock.sleep(versionPauseMs, signal);
  }
}

const versionsAt = async (context: Context, url: string): Promise<readonly string[]> =>
  (await membersAt(context, url)).map(({ version }) => version);
