import { healthReader, snapshotPolicyStore, snapshotRepositories, userPasswords } from '@drover/adapters/elasticsearch';
import { TerminalError } from '@drover/core';
import { kibanaUser, snapshotPolicies } from '@drover/core/names/search-cluster';
import { builtInPolicies, ensurePassword, installPolicies } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import { table } from '../../render/table.ts';

/** Sets what belongs to the whole cluster and not to one node. Safe to repeat, and on several masters at once. */
export async function settle(context: Context): Promise<number> {
  const rows = [...(await settlePolicies(context)), await settlePassword(context)];
  if (context.format !== 'text' || rows.some(({ state }) => state !== 'unchanged'))
    await context.print(rows, () =>
      table(
        ['what', 'state'],
        rows.map(({ what, state }) => [what, state]),
      ),
    );
  return exitCodes.done;
}

interface Row {
  readonly what: string;
  readonly state: string;
}

async function settlePolicies(context: Context): Promise<readonly Row[]> {
  const client = context.search();
  const { clusterName } = await healthReader(client).health();
  const { snapshotsBucket: bucket } = await context.facts();
  const reports = await installPolicies(
    { policies: snapshotPolicyStore(client), repositories: snapshotRepositories(client), bucket },
    builtInPolicies(clusterName, snapshotPolicies),
  );
  return reports.map(({ policy, state }) => ({ what: policy, state }));
}

async function settlePassword(context: Context): Promise<Row> {
  const { kibanaSystemSecret } = await context.facts();
  if (kibanaSystemSecret === undefined)
    throw new TerminalError(`no secret is known for user ${kibanaUser}`, {
      remedy: 'put elasticsearch.kibana_system_secret into the facts file',
    });
  const users = userPasswords(context.search(), context.searchOptions());
  const { secrets } = await context.aws();
  return { what: kibanaUser, state: await ensurePassword({ secrets, users }, kibanaUser, kibanaSystemSecret) };
}
