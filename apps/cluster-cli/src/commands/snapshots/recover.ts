import { recoveryNotes } from '@drover/adapters/aws';
import {
  clusterContents,
  lifecycleManagement,
  searchRoles,
  snapshotCatalog,
  snapshotRepositories,
  snapshotRestorer,
  userPasswords,
} from '@drover/adapters/elasticsearch';
import type { SearchClient } from '@drover/adapters/elasticsearch/client';
import { TerminalError } from '@drover/core';
import {
  exporterRole,
  kibanaUser,
  recoveryRepository,
  snapshotRepository,
  superuser,
} from '@drover/core/names/search-cluster';
import {
  describeStep,
  ensurePassword,
  forecastRecovery,
  type RecoverRun,
  recoverCluster,
  verifyRecovery,
} from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import { readInstanceFacts, textFact } from '../../facts.ts';
import { table } from '../../render/table.ts';
import type { CommandInput } from '../../tree/tree.ts';
import { refused } from '../refused.ts';
import { asLocalUser } from './local-user.ts';

type Options = CommandInput<'snapshots recover-cluster'>['options'];

/** Brings everything back into an empty cluster. */
export async function recover(
  context: Context,
  { options }: CommandInput<'snapshots recover-cluster'>,
): Promise<number> {
  if (options.dryRun) return await forecast(context, await runOf(context, context.search(), options));
  // Every other user is replaced on the way, the one that is logged in too.
  return await asLocalUser(context, async (client) => {
    const run = await runOf(context, client, options);
    const plan = await forecastRecovery(run);
    if ('kind' in plan) return refused(context, plan);
    const what = `replace users, settings and templates of this cluster and restore ${plan.snapshot?.name ?? `the newest snapshot of ${run.repository.bucket}`}`;
    if (plan.steps.length > 0 && !(await context.confirm(what, options.yes || options.resume)))
      return exitCodes.refused;
    return await carryOut(context, run);
  });
}

async function carryOut(context: Context, run: RecoverRun): Promise<number> {
  const end = await recoverCluster(run);
  if (end.kind === 'timed-out') {
    context.log.error(`timed out: ${end.because}. To fix it: go on with --resume`);
    return exitCodes.timedOut;
  }
  if (end.outcome.kind === 'refused') return refused(context, end.outcome.refusal);
  const checks = await verifyRecovery(run);
  await context.print({ snapshot: end.outcome.plan.snapshot?.name, checks }, () =>
    table(
      ['what', 'found', 'ok'],
      checks.map(({ what, found, ok }) => [what, found, ok ? 'yes' : 'NO']),
    ),
  );
  const bad = checks.filter(({ ok }) => !ok);
  if (bad.length === 0) return exitCodes.done;
  context.log.error(
    `not everything is back: ${bad.map(({ what, found }) => `${what}: ${found}`).join('; ')}. To fix it: see cluster-cli cluster allocation-explain; delete what failed and go on with --resume`,
  );
  return exitCodes.failed;
}

async function forecast(context: Context, run: RecoverRun): Promise<number> {
  const plan = await forecastRecovery(run);
  if ('kind' in plan) return refused(context, plan);
  const steps = plan.steps.map(describeStep);
  await context.print({ repository: run.repository.name, snapshot: plan.snapshot?.name, steps }, () =>
    [`snapshot: ${plan.snapshot?.name ?? 'not known before the repository is registered'}`, ...steps, ''].join('\n'),
  );
  return exitCodes.done;
}

async function runOf(context: Context, client: SearchClient, options: Options): Promise<RecoverRun> {
  const facts = await context.facts();
  const bucket = options.bucketName ?? facts.snapshotsBucket;
  if (bucket === undefined)
    throw new TerminalError('no bucket with snapshots is known', { remedy: 'name it with --bucket-name' });
  const readOnly = bucket !== facts.snapshotsBucket;
  const { clients, secrets } = await context.aws();
  const { topology, records } = searchRoles(client);
  const users = userPasswords(client, context.searchOptions());
  const setPassword = async (username: string, secretId: string | undefined, roles?: readonly string[]) => {
    if (secretId === undefined) return;
    const state = await ensurePassword({ secrets, users }, username, secretId, roles);
    context.log.info(`password of ${username}: ${state}`);
  };
  return {
    ...context.run,
    repository: { name: readOnly ? recoveryRepository : snapshotRepository, bucket, readOnly, registered: false },
    wanted: options.snapshot,
    resume: options.resume,
    search: {
      topology,
      records,
      repositories: snapshotRepositories(client),
      snapshots: snapshotCatalog(client),
      restorer: snapshotRestorer(client),
      contents: clusterContents(client),
      lifecycle: lifecycleManagement(client),
    },
    notes: recoveryNotes(clients, textFact(await readInstanceFacts(context.io.files), 'state_bucket')),
    setPasswords: async () => {
      await setPassword(superuser, facts.elasticSecret);
      await setPassword(kibanaUser, facts.kibanaSystemSecret);
      if (facts.exporterUser !== undefined) await setPassword(facts.exporterUser, facts.exporterSecret, [exporterRole]);
    },
  };
}
