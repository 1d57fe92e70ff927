/** Builds everything and runs the whole system on this machine: `npm start -- --help` shows the options. */
import { enter } from '../apps/drover/src/entry.ts';
import { buildAll } from './build/all.ts';

await enter(['local', ...process.argv.slice(2)], async () => {
  process.stderr.write('building the functions, the agent, the commands and the console\n');
  await buildAll();
});
