/** Plays one runner's life on the embedded cloud: deploys the template, a minute of it a second, and says what happens. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScaledClock } from '@drover/core';
import { synthesiseFleet } from '../packages/simulation/src/fleet/fleet-app.ts';
import { FleetSimulation } from '../packages/simulation/src/fleet/fleet-simulation.ts';
import { playOneRunner } from '../packages/simulation/src/stories/one-runner.ts';
import { buildAll } from './build/all.ts';

const speed = 60;
const groupName = 'runners';

console.log('building the functions, the agent and the template');
await buildAll();
process.env.CDK_VALIDATION = 'false';
const inputs = { groupName, asgMinSize: 1, asgMaxSize: 2, warmPoolMaxSize: 0 };
const assembly = synthesiseFleet(mkdtempSync(join(tmpdir(), 'drover-fleet-')), inputs);
const clock = new ScaledClock({ speed });
const fleet = new FleetSimulation({ assembly, groupName, clock, functions: 'bundle' });
const startedAt = clock.now();
const time = () => `${String(Math.floor((clock.now() - startedAt) / 60_000)).padStart(3)} min  `;
const promises = await playOneRunner(fleet, (line) => console.log(time() + line));
console.log('');
for (const { promise, kept } of promises) console.log(`${kept ? 'kept  ' : 'BROKEN'}  ${promise}`);
process.exit(promises.every(({ kept }) => kept) ? 0 : 1);
