/** Runs the benchmarks and prints one table. `--only PREFIX` selects, `--json FILE` writes the figures. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import ownTemporaryFolder from '../scripts/test/temporary-folder.ts';
import type { Figures } from './figures.ts';

const { values } = parseArgs({ options: { only: { type: 'string', default: '' }, json: { type: 'string' } } });

/** Each suite by the prefix of its figures, loaded only when asked for. */
const suites: Readonly<Record<string, () => Promise<Figures>>> = {
  'embedded-cloud': async () => (await import('./embedded-cloud.ts')).benchEmbeddedCloud(),
  cluster: async () => (await import('./cluster.ts')).benchCluster(values.only),
  constructs: async () => (await import('./constructs.ts')).benchConstructs(),
  cost: async () => (await import('./cost.ts')).benchCost(),
  fleet: async () => (await import('./fleet/fleet.ts')).benchFleet(values.only),
  functions: async () => (await import('./functions.ts')).benchFunctions(),
  local: async () => (await import('./local/local.ts')).benchLocal(values.only),
  console: async () => (await import('./console/console.ts')).benchConsole(),
  check: async () => (await import('./check.ts')).benchCheck(),
  'cluster-cli': async () => (await import('./cluster-cli.ts')).benchClusterCli(),
  drover: async () => (await import('./drover.ts')).benchDrover(),
  machines: async () => (await import('./machines.ts')).benchMachines(),
};
/** Measured only when it is named: it needs containers, and a quarter of an hour. */
const byName = 'machines';

// `cluster` is a suite, and also how the name of another one begins: the whole first word decides where it is one.
const [word = ''] = values.only.split('.');
const chosen = Object.entries(suites).filter(([name]) =>
  word in suites ? name === word : name !== byName && name.startsWith(word),
);
if (chosen.length === 0) {
  console.error(
    `no benchmark begins with ${JSON.stringify(values.only)}; there are: ${Object.keys(suites).join(', ')}`,
  );
  process.exit(2);
}
ownTemporaryFolder();
const figures: Figures = {};
for (const [name, suite] of chosen) {
  console.error(`measuring ${name}`);
  for (const [figure, result] of Object.entries(await suite()))
    if (figure.startsWith(values.only)) figures[figure] = result;
}
const width = Math.max(...Object.keys(figures).map((name) => name.length));
for (const [name, { value, unit, goal, ok }] of Object.entries(figures))
  console.log(
    `${name.padEnd(width)}  ${String(round(value)).padStart(12)} ${unit.padEnd(12)} ${goal.padEnd(20)} ${ok ? 'ok' : 'MISSED'}`,
  );
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);
process.exit(Object.values(figures).every(({ ok }) => ok) ? 0 : 1);

function round(value: number): number {
  return value >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
}
