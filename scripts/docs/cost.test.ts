/** The figures of docs/cost.md, docs/sizing.md and docs/WHAT-IF.md against templates, examples, price table and each other. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { instanceBytesPerSecond } from '@drover/core/instance-bandwidth';
import { metrics as fleetMetrics } from '@drover/core/names/runner-fleet';
import { metrics as clusterMetrics } from '@drover/core/names/search-cluster';
import { describe, expect, it } from 'vitest';
import prices from '../../packages/operator/src/fleet/prices.json' with { type: 'json' };
import { type CostLine, costAtZero, natMonth, totalOf } from './cost/at-zero.ts';
import { quietHour, quietTemplate } from './cost/quiet-hour.ts';
import { root, textOf } from './pages.ts';

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
}

const templateOf = (example: string) =>
  JSON.parse(readFileSync(join(root, 'examples', example, 'template.snap.json'), 'utf8')) as Template;
const countOf = (example: string, type: string) =>
  Object.values(templateOf(example).Resources).filter(({ Type }) => Type === type).length;

/** The text of a page below a heading, until the next one. */
const sectionOf = (page: string, heading: string) =>
  textOf(page)
    .split(new RegExp(`^#+ ${heading}$`, 'm'))[1]!
    .split(/^#+ /m)[0]!;

/** Cells of the rows of a table, without its head. */
const rowsOf = (section: string) =>
  section
    .split('\n')
    .filter((line) => /^\| /.test(line))
    .slice(1)
    .map((line) => line.slice(2, -2).split(' | '));

const amount = (cell: string) => Number(cell.replaceAll(/[*,]/g, ''));

/** `3 × t3a.medium, 730 hours at 0.0376`, `5 × 500 GiB gp3 at 0.08`: what these words come to. */
function computed(what: string): number | undefined {
  const hours = /^(\d+) × (\w+\.\w+), (\d+) hours at ([\d.]+)/.exec(what);
  if (hours !== null) {
    const [, count, type, time, price] = hours;
    expect([what, (prices.instanceHour as Record<string, { onDemand: number }>)[type!]?.onDemand]).toEqual([
      what,
      Number(price),
    ]);
    return Number(count) * Number(time) * Number(price);
  }
  const volumes = /^(\d+) × (\d+) GiB gp3 at ([\d.]+)/.exec(what);
  if (volumes !== null) {
    expect(Number(volumes[3])).toBe(prices.volumeGiBMonth);
    return Number(volumes[1]) * Number(volumes[2]) * Number(volumes[3]);
  }
  const alarms = /^(\d+) alarms at ([\d.]+), (\d+) metrics at ([\d.]+)/.exec(what);
  if (alarms !== null) return Number(alarms[1]) * Number(alarms[2]) + Number(alarms[3]) * Number(alarms[4]);
  return undefined;
}

/** Metrics that a fleet in idle mode publishes: the others are those of jobs mode and of types, and one needs an input. */
const ofJobsMode = [
  ...['assignedJobs', 'runningJobs', 'waitingJobs', 'demandSignalAge', 'jobsNotTaken', 'runnerAge'],
  ...['groupRoom', 'launchAge', 'groupsEmpty', 'imageBakesFailed'],
];
const idleMetrics = Object.keys(fleetMetrics).filter((name) => !ofJobsMode.includes(name)).length;

describe.each([
  ['A runner fleet at rest', 'runner-fleet', idleMetrics],
  ['A search cluster at rest', 'search-cluster', Object.keys(clusterMetrics).length],
])('the cost of %s', (heading, example, metrics) => {
  const rows = rowsOf(sectionOf('docs/cost.md', heading));

  it(`docs/cost.md: the monthly amounts of ${example} follow from their words and add up to the sum`, () => {
    const wrong = rows.filter(([what, cell]) => {
      const expected = computed(what!);
      return expected !== undefined && expected.toFixed(2) !== amount(cell!).toFixed(2);
    });
    expect(wrong).toEqual([]);
    const sum = rows.slice(0, -1).reduce((all, [, cell]) => all + amount(cell!), 0);
    expect(sum.toFixed(2)).toBe(amount(rows.at(-1)![1]!).toFixed(2));
  });

  it(`docs/cost.md counts the alarms, metrics, secrets and load balancers that ${example} has`, () => {
    const words = rows.map(([what]) => what).join('\n');
    const said = (pattern: RegExp) => Number(pattern.exec(words)?.[1] ?? 0);
    expect(said(/(\d+) alarms/)).toBe(countOf(example, 'AWS::CloudWatch::Alarm'));
    expect(said(/alarms at 0.10, (\d+) metrics/)).toBe(metrics);
    expect(said(/(\d+) secrets/)).toBe(countOf(example, 'AWS::SecretsManager::Secret'));
    expect(said(/(\d+) load balancers/)).toBe(countOf(example, 'AWS::ElasticLoadBalancingV2::LoadBalancer'));
  });
});

it('docs/cost.md has what the template and an hour of a fleet without jobs come to in each mode', async () => {
  const columns: (readonly CostLine[])[] = [];
  for (const inputs of [{ scalingMode: 'idle' }, {}, { adaptiveWindows: true }] as const)
    columns.push(costAtZero(await quietHour(inputs)));
  const row = (what: string, usd: (lines: readonly CostLine[]) => string) => [what, ...columns.map(usd)];
  const ofLine = (at: number) => (lines: readonly CostLine[]) => `${lines[at]!.usd.toFixed(2)}: ${lines[at]!.counted}`;

  expect(rowsOf(sectionOf('docs/cost.md', 'What each mode costs without jobs'))).toEqual([
    ...columns[0]!.map(({ what }, at) => row(what, ofLine(at))),
    row('**without jobs**', (lines) => `**${totalOf(lines).toFixed(2)}**`),
    row('with one NAT gateway, for runners in private subnets', (lines) => (totalOf(lines) + natMonth).toFixed(2)),
  ]);
}, 120_000);

it('a further type adds nothing to the template that is billed while the type has no instance', () => {
  process.env.CDK_VALIDATION = 'false';
  const billed = (types: readonly string[]) =>
    quietTemplate({ types: Object.fromEntries(types.map((type) => [type, { asgMinSize: 0 }])) })
      .resources.map(({ Type }) => Type)
      .filter((type) => !/^AWS::(IAM::|AutoScaling::|EC2::LaunchTemplate)/.test(type))
      .sort();

  expect(billed(['large', 'arm'])).toEqual(billed(['large']));
});

/** `1.8 min` and `106 s` in seconds. */
const seconds = (text: string) => Number.parseFloat(text) * (text.endsWith('min') ? 60 : 1);

describe('the week of jobs', () => {
  const [, report = ''] = /```\n(1763 jobs[\s\S]*?)```/.exec(textOf('docs/WHAT-IF.md')) ?? [];
  /** Rows of its two tables, by their number of columns. */
  const rowsWith = (columns: number) =>
    new Map(
      report
        .split('\n')
        .slice(3)
        .map((line) => line.split(/ {2,}/))
        .filter((cells) => cells.length === columns && cells[0] !== 'configuration')
        .map((cells) => [cells[0]!, cells]),
    );
  const replayed = rowsWith(8);
  const used = rowsWith(7);

  it('docs/cost.md has the waits, hours and cost of the report in docs/WHAT-IF.md', () => {
    const rows = rowsOf(sectionOf('docs/cost.md', 'A week of jobs'));
    expect(rows.map(([name]) => /^`(.+)\.yaml`/.exec(name!)?.[1]).sort()).toEqual([...replayed.keys()].sort());
    for (const [name, p50, p95, hours, idle, usd] of rows) {
      const configuration = /^`(.+)\.yaml`/.exec(name!)![1]!;
      const [, ofP50, ofP95, , , , ofIdle, ofUsd] = replayed.get(configuration)!;
      const [, ofHours] = used.get(configuration)!;
      expect([name, seconds(p50!), seconds(p95!)]).toEqual([name, seconds(ofP50!), seconds(ofP95!)]);
      expect([name, amount(hours!), idle, usd]).toEqual([name, Math.round(Number(ofHours)), ofIdle, ofUsd]);
    }
  });

  it('docs/images/what-if.svg shows the cost that docs/WHAT-IF.md reports', () => {
    const svg = readFileSync(join(root, 'docs/images/what-if.svg'), 'utf8');
    expect([...replayed.values()].filter((cells) => !svg.includes(cells[7]!))).toEqual([]);
  });
});

describe('docs/sizing.md', () => {
  it('docs/sizing.md: rates and durations of drains follow from instance type and volume throughput', () => {
    const mib = 1024 ** 2;
    const wrong = rowsOf(sectionOf('docs/sizing.md', 'How long does a drain take\\?')).flatMap(
      ([type, throughput, rate, takes, most, all]) => {
        const least = Math.min(instanceBytesPerSecond(type!)! / mib, Number(throughput));
        const perSecond = Math.max(40, Math.floor(0.4 * least));
        const tib = (hours: number) => (hours * 3_600 * perSecond) / 1024 ** 2;
        const expected = [
          String(perSecond),
          `${(1 / tib(1)).toFixed(1)} h`,
          `${tib(48).toFixed(1)} TiB`,
          `${tib(36).toFixed(1)} TiB`,
        ];
        return [rate, takes, most, all].join() === expected.join() ? [] : [[type, ...expected]];
      },
    );
    expect(wrong).toEqual([]);
  });

  it('docs/sizing.md: how full disks may be follows from the low watermark and the largest zone', () => {
    const wrong = rowsOf(sectionOf('docs/sizing.md', 'Losing a zone'))
      .filter(([nodes]) => /^\d+$/.test(nodes!))
      .filter((cells) => cells.length === 4 && cells[3]!.endsWith('%'))
      .filter(([nodes, zones, largest, full]) => {
        const most = Math.ceil(Number(nodes) / Number(zones));
        return most !== Number(largest) || `${Math.floor((85 * (Number(nodes) - most)) / Number(nodes))} %` !== full;
      });
    expect(wrong).toEqual([]);
  });

  it('docs/sizing.md: the monthly amounts of the worked example add up', () => {
    const rows = rowsOf(sectionOf('docs/sizing.md', 'What a size costs'));
    const at = rows.findIndex(([what]) => what!.includes('a month, USD'));
    for (const column of [1, 2]) {
      const sum = rows.slice(0, at).reduce((all, cells) => all + (amount(cells[column]!) || 0), 0);
      expect(sum.toFixed(2)).toBe(amount(rows[at]![column]!).toFixed(2));
    }
  });
});
