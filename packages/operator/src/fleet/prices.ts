import { readFileSync } from 'node:fs';
import { TerminalError } from '@drover/core';
import shipped from './prices.json' with { type: 'json' };

/** Prices of an hour, with their date and source. */
export interface PriceTable {
  readonly region: string;
  readonly currency: string;
  readonly date: string;
  readonly source: string;
  readonly volumeGiBMonth: number;
  /** GitHub's price for a minute on a runner of its own. Without it the comparison has no such line. */
  readonly hosted?: { readonly runner: string; readonly minute: number };
  readonly instanceHour: Readonly<Record<string, { readonly onDemand: number; readonly spot: number }>>;
}

/** Usage of instances within a period. */
export interface Usage {
  /** Hours that are billed, by type. */
  readonly runningHours: { readonly onDemand: ReadonlyMap<string, number>; readonly spot: ReadonlyMap<string, number> };
  /** Hours that instances lay hibernated. */
  readonly hibernatedHours: number;
  /** Hours that root volumes existed. */
  readonly volumeHours: number;
  /** Most instances that ran at once. */
  readonly peakRunning: number;
}

/** The cost of a period. Network, functions, metrics and logs are not in it. */
export interface Cost {
  readonly onDemand: number;
  readonly spot: number;
  /** Volumes of instances that run, boot or end. */
  readonly volumes: number;
  /** Volumes of hibernated instances. */
  readonly hibernated: number;
  readonly total: number;
}

/** The same jobs on runners of GitHub's own: each job's minutes rounded up, without those that a plan includes. */
export interface HostedCost {
  readonly runner: string;
  readonly minutes: number;
  readonly total: number;
}

/** Volumes are priced by the month; AWS's own calculator takes it as 730 hours. */
export const hoursAMonth = 730;

/** The table that comes with the command, or the user's own in the same form. */
export function readPrices(file?: string): PriceTable {
  if (file === undefined) return shipped;
  let table: unknown;
  try {
    table = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new TerminalError(`the prices in ${file} cannot be read: ${(error as Error).message.split('\n')[0]}`);
  }
  const wrong = wrongWith(table as PriceTable);
  if (wrong === undefined) return table as PriceTable;
  throw new TerminalError(
    `the prices in ${file}: ${wrong}; the shipped table shows the form: packages/operator/src/fleet/prices.json`,
  );
}

/** Every type that a configuration may launch has a price, or the estimate would be a guess. */
export function requirePrices(table: PriceTable, instanceTypes: readonly string[], configuration: string): void {
  const missing = instanceTypes.find((type) => !Object.hasOwn(table.instanceHour, type));
  if (missing === undefined) return;
  throw new TerminalError(
    `${configuration}: there is no price for ${missing}; the table has ${Object.keys(table.instanceHour).join(', ')}. Give your own with --prices FILE`,
  );
}

export function costOf(usage: Usage, volumeGiB: number, table: PriceTable): Cost {
  const compute = (market: 'onDemand' | 'spot') =>
    [...usage.runningHours[market]].reduce((sum, [type, hours]) => sum + hours * table.instanceHour[type]![market], 0);
  const volume = (hours: number) => (hours * volumeGiB * table.volumeGiBMonth) / hoursAMonth;
  const parts = {
    onDemand: compute('onDemand'),
    spot: compute('spot'),
    volumes: volume(usage.volumeHours - usage.hibernatedHours),
    hibernated: volume(usage.hibernatedHours),
  };
  return { ...parts, total: parts.onDemand + parts.spot + parts.volumes + parts.hibernated };
}

export function hostedCostOf(
  { jobs }: { readonly jobs: readonly { readonly durationMs: number }[] },
  { hosted }: PriceTable,
): HostedCost | undefined {
  if (hosted === undefined) return undefined;
  const minutes = jobs.reduce((sum, { durationMs }) => sum + Math.ceil(durationMs / 60_000), 0);
  return { runner: hosted.runner, minutes, total: minutes * hosted.minute };
}

const isPrice = (value: unknown) => typeof value === 'number' && value >= 0 && Number.isFinite(value);

function wrongWith(table: Partial<PriceTable> | null): string | undefined {
  for (const key of ['region', 'currency', 'date', 'source'] as const)
    if (typeof table?.[key] !== 'string') return `${key} is missing; give text`;
  if (!isPrice(table?.volumeGiBMonth)) return 'volumeGiBMonth is not allowed; give the price of a GiB and month';
  if (table?.hosted !== undefined && (typeof table.hosted.runner !== 'string' || !isPrice(table.hosted.minute)))
    return 'hosted is not allowed; give { "runner": text, "minute": number }';
  if (typeof table?.instanceHour !== 'object' || table.instanceHour === null)
    return 'instanceHour is missing; give { "<type>": { "onDemand": …, "spot": … } }';
  for (const [type, price] of Object.entries(table.instanceHour))
    if (!isPrice(price?.onDemand) || !isPrice(price?.spot))
      return `the price of ${type} is not allowed; give { "onDemand": number, "spot": number }`;
  return undefined;
}
