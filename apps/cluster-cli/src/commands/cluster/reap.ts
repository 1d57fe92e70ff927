import { softwarePointer } from '@drover/adapters/aws';
import { searchRoles } from '@drover/adapters/elasticsearch';
import { describeError } from '@drover/core';
import { rejectionNoteFile, searchNodeFacts } from '@drover/core/names/search-cluster';
import { publishVitalSigns, type ReapAction, type Reaped, reap } from '@drover/search-cluster';
import type { CountedRejections, RejectionNote } from '@drover/search-cluster/ports';
import type { Aws } from '../../aws.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import { allPoliciesOf, hasStateBucket, stateBucket } from '../../facts.ts';
import { recordTable } from '../../render/table.ts';
import { attempt } from '../attempt.ts';
import { drillIfDue, drillNotesOf } from '../snapshots/drill.ts';
import { growIfFull, spreadIfCrowded } from './spread.ts';

type Roles = Aws['roles'] | undefined;

/** Clears what nodes that left have left behind; the elected master also publishes the metrics that the alarms watch, spreads the masters over the zones, and gives full disks room. */
export async function reapCluster(context: Context): Promise<number> {
  const place = await placeOf(context);
  const aws = place === 'instance' ? (await context.aws()).roles : undefined;
  try {
    const exitCode = await clearUp(context, aws);
    return place === 'mute instance' ? exitCodes.failed : exitCode;
  } finally {
    // Also when clearing up failed: without metrics the cluster would look as if it had no master.
    if (await publishMetrics(context, aws)) {
      // Masters that stay where they are show in a metric of their own.
      await attempt(context, 'the masters could not be spread over the zones', () => spreadIfCrowded(context));
      await attempt(context, 'the disks of the groups could not be given room', () => growIfFull(context));
      // A drill that cannot even be tried is seen by its age.
      await attempt(context, 'the restore drill could not be tried', async () => {
        if ((await drillNotesOf(context)) !== undefined) await drillIfDue(context);
      });
    }
  }
}

async function clearUp(context: Context, aws: Roles): Promise<number> {
  const { resourceName } = await context.facts();
  const reaped = await reap({ clock: context.io.clock, resourceName, search: searchRoles(context.search()), aws });
  const rows = reaped.map(rowOf);
  if (rows.length > 0 || context.format !== 'text')
    await context.print(rows, () => recordTable(rows, 'action', 'subject', 'because'));
  const failed = reaped.filter(({ error }) => error !== undefined);
  for (const { action, error } of failed) context.log.error(`${action.kind} failed: ${error}`);
  for (const { action } of reaped)
    if (action.kind === 'report')
      context.log.warn(
        `${action.subject}: ${action.because}${action.remedy === undefined ? '' : `. To fix it: ${action.remedy}`}`,
      );
  return failed.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** Whether this is the elected master, and it could publish. A failure is only a warning, because clearing up matters more: the alarms treat missing metrics as a fault. */
async function publishMetrics(context: Context, aws: Roles): Promise<boolean> {
  if (aws === undefined) return false;
  const published = await attempt(context, 'the metrics of the cluster could not be published', async () => {
    const facts = await context.facts();
    const search = searchRoles(context.search());
    const drill = await drillNotesOf(context);
    const software = await softwareOf(context);
    return await publishVitalSigns({
      ...context.run,
      resourceName: facts.resourceName,
      wantedPolicies: allPoliciesOf(facts),
      search,
      aws,
      drill,
      software,
      rejections: rejectionNote(context),
    });
  });
  return published !== undefined;
}

const rejectionNote = ({ io: { files } }: Context): RejectionNote => ({
  read: async () => {
    const text = await files.read(rejectionNoteFile);
    return text === undefined ? undefined : (JSON.parse(text) as CountedRejections);
  },
  write: (counted) => files.write(rejectionNoteFile, `${JSON.stringify(counted)}\n`),
});

/** The pointer to the software of the nodes; undefined for a node that was not made by the template. */
async function softwareOf(context: Context) {
  const { files } = context.io;
  if (!(await hasStateBucket(files))) return undefined;
  const { clients } = await context.aws();
  const bucket = await stateBucket(files);
  return () => softwarePointer(clients, bucket).read();
}

/**
 * Outside AWS there are no hooks and no retained instances; records and exclusions are cleared all the same. A node that
 * has its facts is on an instance: when its metadata service fails, launches and hooks wait, and no metric is published.
 */
async function placeOf({ metadata, io, log }: Context): Promise<'instance' | 'mute instance' | 'elsewhere'> {
  try {
    await metadata.instanceId();
    return 'instance';
  } catch (error) {
    const isInstance = (await io.files.read(searchNodeFacts.file)) !== undefined;
    if (isInstance) log.error(`only Elasticsearch is cleaned up, and nothing of AWS: ${describeError(error)}`);
    else log.info(`not on an instance, so only Elasticsearch is cleaned up (${describeError(error)})`);
    return isInstance ? 'mute instance' : 'elsewhere';
  }
}

const rowOf = ({ action, error }: Reaped) => ({
  action: error === undefined ? action.kind : `${action.kind} (failed)`,
  subject: subjectOf(action),
  because: action.because,
  ...(error === undefined ? {} : { error }),
});

function subjectOf(action: ReapAction): string {
  if ('record' in action) return `node ${action.record.nodeId}`;
  if ('instance' in action) return `instance ${action.instance.instanceId}`;
  return action.kind === 'report' ? action.subject : 'voting exclusions';
}
