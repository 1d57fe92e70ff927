import { awaitedDeployments, stateObjects } from '@drover/adapters/aws';
import {
  clusterSettings,
  healthReader,
  healthWithoutDrills,
  indexSettings,
  serviceTokens,
  snapshotPolicyStore,
  snapshotRepositories,
  userPasswords,
} from '@drover/adapters/elasticsearch';
import { describeError, TerminalError } from '@drover/core';
import {
  defaultNodeLeftDelay,
  exporterRole,
  kibanaUser,
  nodeLeftSetting,
  recoverySetting,
  superuser,
} from '@drover/core/names/search-cluster';
import {
  builtInPolicies,
  ensurePassword,
  installPolicies,
  keepNodeLeftDelay,
  keepReplica,
  keepSetting,
  keepToken,
  reportReady,
  rotatePassword,
  storeSuperuser,
} from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import { ownPoliciesOf, placeOf, readInstanceFacts, textFact } from '../../facts.ts';
import { recordTable } from '../../render/table.ts';

/** Sets what belongs to the whole cluster and not to one node. Safe to repeat, and on several masters at once. */
export async function settle(context: Context): Promise<number> {
  const own = await settleSuperuser(context);
  const rows = [
    own,
    ...(await settlePolicies(context)),
    ...(await settleRecovery(context)),
    ...(await settleNodeLeft(context)),
    await settlePassword(context),
    ...(await settleExporter(context)),
    ...(await settleToken(context)),
    ...(await rotatePasswords(context)),
  ];
  // A bucket elsewhere that is away holds up nothing else.
  let failed: unknown;
  const replica = await settleReplica(context).catch((error: unknown) => {
    failed = error;
    return [];
  });
  const all = [...rows, ...replica];
  if (context.format !== 'text' || all.some(({ state }) => state !== 'unchanged'))
    await context.print(all, () => recordTable(all, 'what', 'state'));
  await tellDeployment(context);
  if (failed !== undefined) throw failed;
  return exitCodes.done;
}

/** A deployment that waits for the cluster hears of it from the first master that has settled it. */
async function tellDeployment(context: Context): Promise<void> {
  const facts = await readInstanceFacts(context.io.files);
  const { clients, roles } = await context.aws();
  const told = await reportReady({
    ...context.run,
    health: healthWithoutDrills(context.search()),
    deployments: awaitedDeployments(clients, textFact(facts, 'state_bucket'), (url, body) =>
      putText(context, url, body),
    ),
    tags: roles.tags,
    instanceId: await context.metadata.instanceId(),
  });
  if (told === 'ready') context.log.info('the deployment was notified that the cluster is green');
}

async function putText({ io }: Context, url: string, body: string): Promise<{ status: number }> {
  const { protocol, host, pathname: path, search } = new URL(url);
  return await io.exchange({
    method: 'PUT',
    protocol: protocol === 'http:' ? 'http' : 'https',
    host,
    path,
    query: search.slice(1),
    headers: { host },
    body: Buffer.from(body),
    signal: io.signal,
  });
}

interface Row {
  readonly what: string;
  readonly state: string;
}

/** First, because everything else logs in with it. */
async function settleSuperuser(context: Context): Promise<Row> {
  const facts = await readInstanceFacts(context.io.files);
  const { secrets, clients } = await context.aws();
  const users = userPasswords(context.search(), context.searchOptions());
  const state = stateObjects(clients, textFact(facts, 'state_bucket'));
  const secretId = textFact(facts, 'elastic_secret');
  const stored = await storeSuperuser({ secrets, users, state }, superuser, secretId);
  if (stored !== 'secret-refused') return { what: superuser, state: stored };
  throw new TerminalError(`the password in secret ${secretId} does not let ${superuser} in`, {
    remedy: `the secret was changed alone: move AWSCURRENT back to the version that lets ${superuser} in, then change both with: cluster-cli passwd --username ${superuser}`,
  });
}

async function settlePolicies(context: Context): Promise<readonly Row[]> {
  const client = context.search();
  const { clusterName } = await healthReader(client).health();
  const facts = await context.facts();
  const reports = await installPolicies(
    {
      policies: snapshotPolicyStore(client),
      repositories: snapshotRepositories(client),
      place: placeOf(facts.snapshotsBucket),
    },
    builtInPolicies(clusterName, ownPoliciesOf(facts)),
  );
  return reports.map(({ policy, state }) => ({ what: policy, state }));
}

async function settleReplica(context: Context): Promise<readonly Row[]> {
  const client = context.search();
  const reports = await keepReplica({
    policies: snapshotPolicyStore(client),
    repositories: snapshotRepositories(client),
    clusterName: (await healthReader(client).health()).clusterName,
    place: (await context.facts()).replica,
  });
  return reports.map(({ policy, state }) => ({ what: policy, state }));
}

/** Only the persistent setting: an operator who needs another rate for a while gives it as a transient one. */
async function settleRecovery(context: Context): Promise<readonly Row[]> {
  const { recoveryMaxBytesPerSec: wanted } = await context.facts();
  if (wanted === undefined) return [];
  const settings = clusterSettings(context.search());
  return [{ what: recoverySetting, state: await keepSetting(settings, recoverySetting, wanted) }];
}

/**
 * Elasticsearch takes it from each index alone: neither its file nor a cluster setting can have it. An index whose metadata
 * a client has blocked has Elasticsearch refuse the list of all, which holds up nothing else.
 */
async function settleNodeLeft(context: Context): Promise<readonly Row[]> {
  const { nodeLeftDelay } = await context.facts();
  const client = context.search();
  const run = { settings: clusterSettings(client), indices: indexSettings(client) };
  const state = await keepNodeLeftDelay(run, nodeLeftDelay ?? defaultNodeLeftDelay).catch((error: unknown) => {
    context.log.warn(describeError(error));
    return 'refused';
  });
  return nodeLeftDelay === undefined && state === 'unchanged' ? [] : [{ what: nodeLeftSetting, state }];
}

async function settlePassword(context: Context): Promise<Row> {
  const { kibanaSystemSecret } = await context.facts();
  if (kibanaSystemSecret === undefined)
    throw new TerminalError(`no secret is known for user ${kibanaUser}`, {
      remedy: 'put elasticsearch.kibana_system_secret into the facts file',
    });
  return await settleUser(context, kibanaUser, kibanaSystemSecret);
}

async function settleUser(context: Context, user: string, secretId: string, roles?: readonly string[]): Promise<Row> {
  const users = userPasswords(context.search(), context.searchOptions());
  const { secrets } = await context.aws();
  return { what: user, state: await ensurePassword({ secrets, users }, user, secretId, roles) };
}

/** The user that only monitors, where the exporter does not log in as the superuser. */
async function settleExporter(context: Context): Promise<readonly Row[]> {
  const { exporterUser, exporterSecret } = await context.facts();
  if (exporterUser === undefined || exporterSecret === undefined) return [];
  return [await settleUser(context, exporterUser, exporterSecret, [exporterRole])];
}

/** Beside the password of `kibana_system`, which stays valid. */
async function settleToken(context: Context): Promise<readonly Row[]> {
  const { kibanaTokenSecret, passwordRotationDays: everyDays } = await context.facts();
  if (kibanaTokenSecret === undefined) return [];
  const tokens = serviceTokens(context.search(), context.searchOptions());
  const { secrets } = await context.aws();
  const state = await keepToken({ clock: context.io.clock, secrets, tokens, everyDays }, kibanaTokenSecret);
  return [{ what: 'token of elastic/kibana', state }];
}

/** Last, because everything else logs in with what is replaced here. */
async function rotatePasswords(context: Context): Promise<readonly Row[]> {
  const { passwordRotationDays: everyDays, ...facts } = await context.facts();
  const { exporterUser, exporterSecret, elasticSecret, rotateElastic } = facts;
  const rotating = new Map<string, string>();
  if (exporterUser !== undefined && exporterSecret !== undefined) rotating.set(exporterUser, exporterSecret);
  if (rotateElastic === true && elasticSecret !== undefined) rotating.set(superuser, elasticSecret);
  if (everyDays === undefined) return [];
  const { secrets } = await context.aws();
  const { clock, random } = context.io;
  const rows: Row[] = [];
  for (const [user, secretId] of rotating) {
    const users = userPasswords(context.search(), context.searchOptions());
    const state = await rotatePassword({ clock, random, secrets, users, everyDays }, user, secretId);
    rows.push({ what: `rotation of ${user}`, state });
  }
  return rows;
}
