import { DescribeVolumesCommand, type EC2Client } from '@aws-sdk/client-ec2';
import { kindOf } from '@drover/core/names/node-groups';
import type { GroupInstance } from '@drover/search-cluster';
import { hoursAMonth, type PriceTable, readPrices, requirePrices } from '../fleet/prices.ts';
import type { DroverIo } from '../io.ts';
import { type Format, json, table } from '../render/table.ts';
import { type ClusterOptions, type OpenCluster, openCluster } from './open-cluster.ts';

/** Options of `drover cluster cost`. */
export interface ClusterCostOptions extends ClusterOptions {
  readonly format: Format;
  readonly prices?: string;
}

/** `drover cluster cost`: a month of the instances and volumes that are there now, by a price table. */
export async function clusterCost(io: DroverIo, options: ClusterCostOptions): Promise<number> {
  const cost = await costOfMonth(await openCluster(io, options), readPrices(options.prices));
  io.stdout(options.format === 'json' ? json(cost) : text(cost));
  return 0;
}

type MonthlyCost = Awaited<ReturnType<typeof costOfMonth>>;

async function costOfMonth({ clusterName, groups, instances, aws }: OpenCluster, prices: PriceTable) {
  const all = await instances.ofGroups(groups.all);
  requirePrices(prices, [...new Set(all.map(typeOf))], clusterName);
  const kinds = await Promise.all(
    groups.all.map(async (group) => {
      const own = all.filter(({ groupName }) => groupName === group);
      const volumeGib = await volumeSizes(aws.ec2, own);
      return {
        kind: kindOf(clusterName, group),
        instances: own.length,
        instanceTypes: [...new Set(own.map(typeOf))],
        volumeGib,
        month: {
          instances: own.reduce((sum, one) => sum + hoursAMonth * prices.instanceHour[typeOf(one)]!.onDemand, 0),
          volumes: volumeGib * prices.volumeGiBMonth,
        },
      };
    }),
  );
  const total = kinds.reduce((sum, { month }) => sum + month.instances + month.volumes, 0);
  const { region, date, source, currency } = prices;
  return { cluster: clusterName, kinds, total, currency, prices: { region, date, source } };
}

const typeOf = ({ instanceType = 'unknown' }: GroupInstance) => instanceType;

/** GiB of all volumes of these instances, the roots too. */
async function volumeSizes(ec2: Pick<EC2Client, 'send'>, instances: readonly GroupInstance[]): Promise<number> {
  let gib = 0;
  let NextToken: string | undefined;
  if (instances.length === 0) return gib;
  const Filters = [{ Name: 'attachment.instance-id', Values: instances.map(({ instanceId }) => instanceId) }];
  do {
    const { Volumes = [], NextToken: next } = await ec2.send(new DescribeVolumesCommand({ Filters, NextToken }));
    gib += Volumes.reduce((sum, { Size = 0 }) => sum + Size, 0);
    NextToken = next;
  } while (NextToken !== undefined);
  return gib;
}

function text({ cluster, kinds, total, currency, prices }: MonthlyCost): string {
  const money = (amount: number) => `${amount.toFixed(2)} ${currency}`;
  const rows = kinds.flatMap(({ kind, instances, instanceTypes, volumeGib, month }) => [
    [`${kind} nodes`, `${instances} (${instanceTypes.join(', ')})`, money(month.instances)],
    [`${kind} volumes`, `${volumeGib} GiB`, money(month.volumes)],
  ]);
  return `${table([['cluster', cluster, 'a month'], ...rows, ['total', '', money(total)]])}An estimate by on-demand prices of ${prices.region}, ${prices.date}; load balancers, traffic, snapshots, functions, metrics and logs are not in it.\n`;
}
