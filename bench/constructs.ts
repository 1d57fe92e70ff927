import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost, type Figures, median } from './figures.ts';

const examples = ['runner-fleet', 'search-cluster', 'local'];
const runs = 5;

/** How long each example takes to synthesise, as its own process, compared with an empty app in the same run. */
export async function benchConstructs(): Promise<Figures> {
  const apps = ['packages/constructs/test/empty-app.ts', ...examples.map((name) => `examples/${name}/app.ts`)];
  const { context } = JSON.parse(readFileSync('examples/runner-fleet/cdk.json', 'utf8')) as { context: object };
  const times = apps.map((): number[] => []);
  // In turns, so that whatever else the machine does meets all of them alike.
  for (let run = 0; run < runs; run++)
    for (const [index, app] of apps.entries()) times[index]!.push(synthesise(app, context));
  const [empty, ...others] = times.map(median);
  return Object.fromEntries(
    examples.map((name, index) => [
      `constructs.${name}.synth_ratio`,
      atMost(others[index]! / empty!, 3, 'x empty app'),
    ]),
  );
}

function synthesise(app: string, context: object): number {
  const outdir = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  const env = { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(context) };
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', app], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${app} does not synthesise: ${stderr}`);
  return performance.now() - startedAt;
}
