/** The bundles of everything that is deployed, installed or started as a process of its own. */
import { buildClusterCli } from './cluster-cli.ts';
import { buildConsole } from './console.ts';
import { buildDrover, buildLocal } from './drover.ts';
import { buildHandler, buildProgram } from './node-bundle.ts';

/** One CommonJS bundle for each Lambda function: those of the fleet, and the small ones that come with a module. */
export async function buildFunctions(): Promise<void> {
  const fleet = ['registration', 'deregistration', 'record-metric', 'runner-version', 'demand', 'image'];
  const names = [...fleet, 'certificate-authority', 'cluster-watch', 'software', 'web-ui-redeployment'];
  await Promise.all(
    names.map((name) => buildHandler(`apps/functions/src/${name}/handler.ts`, `apps/functions/dist/${name}/index.js`)),
  );
}

/** The agent as one file that runs on the pinned Node of an instance. */
const buildRunnerAgent = () => buildProgram('apps/runner-agent/src/main.ts', 'apps/runner-agent/dist/runner-agent.cjs');

/** The stand-in of GitHub's runner software, for real machines. */
const buildRunnerStandIn = () =>
  buildProgram('cloud/github/src/runner-software/linux/main.ts', 'cloud/github/dist/runner-stand-in.cjs');

/** Everything that is deployed or installed, and the `drover` command; nothing where DROVER_BUILT says that others are reading it. */
export async function buildAll(): Promise<void> {
  if (process.env.DROVER_BUILT !== undefined) return;
  await Promise.all([
    buildFunctions(),
    buildRunnerAgent(),
    buildRunnerStandIn(),
    buildClusterCli(),
    buildConsole(),
    buildDrover(),
    buildLocal(),
  ]);
}
