import { healthReader, snapshotPolicyStore, snapshotRepositories } from '@drover/adapters/elasticsearch';
import type { SearchClient } from '@drover/adapters/elasticsearch/client';
import {
  builtInPolicies,
  checkPolicies,
  installPolicies,
  keepReplica,
  type PolicyReport,
  type PolicySet,
  parsePolicies,
} from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes, UsageError } from '../../exit.ts';
import { allPoliciesOf, type NodeFacts, ownPoliciesOf, placeOf } from '../../facts.ts';
import { formatsModule } from '../../render/output.ts';
import { recordTable } from '../../render/table.ts';
import type { CommandInput } from '../../tree/tree.ts';

/** Installs the snapshot policies, or checks them. */
export async function policy(context: Context, { args, options }: CommandInput<'snapshots policy'>): Promise<number> {
  const client = context.search();
  const facts = await context.facts();
  const settled = allPoliciesOf(facts);
  const wanted = args.FILE === undefined ? undefined : await policiesIn(context, args.FILE);
  const { clusterName } = await healthReader(client).health();
  const policies = snapshotPolicyStore(client);
  const undone = settled.filter(({ id }) => wanted !== undefined && id in wanted).map(({ id }) => id);
  if (undone.length > 0)
    context.log.warn(
      `node settle sets ${undone.join(', ')} again within ten minutes: change the input snapshot_policies instead`,
    );
  const reports = options.check
    ? await checkPolicies({ policies }, wanted ?? builtInPolicies(clusterName, settled))
    : await installAll(client, facts, clusterName, wanted);
  await context.print(reports, () => recordTable(reports, 'policy', 'state', 'differs'));
  const drifted = reports.filter(({ state }) => state === 'drifted' || state === 'missing');
  if (drifted.length === 0) return exitCodes.done;
  context.log.error(
    `refused (policy-drift): ${drifted.map(({ policy }) => policy).join(', ')} differ from what is wanted. To fix it: cluster-cli snapshots policy`,
  );
  return exitCodes.refused;
}

async function installAll(
  client: SearchClient,
  facts: NodeFacts,
  clusterName: string,
  wanted: PolicySet | undefined,
): Promise<readonly PolicyReport[]> {
  const run = { policies: snapshotPolicyStore(client), repositories: snapshotRepositories(client) };
  const own = wanted ?? builtInPolicies(clusterName, ownPoliciesOf(facts));
  const reports = await installPolicies({ ...run, place: placeOf(facts.snapshotsBucket) }, own);
  if (wanted !== undefined) return reports;
  return [...reports, ...(await keepReplica({ ...run, clusterName, place: facts.replica }))];
}

async function policiesIn(context: Context, path: string): Promise<PolicySet> {
  const text = await context.io.files.read(path);
  if (text === undefined) throw new UsageError(`policy file ${path} does not exist`);
  const { parseYaml } = await formatsModule();
  try {
    return parsePolicies(parseYaml(text), path);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
