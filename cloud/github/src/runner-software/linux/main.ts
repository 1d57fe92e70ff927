/** The stand-in as processes of a Linux machine: `main.cjs listener ROOT …` and `main.cjs worker ROOT …`, started by the scripts of the tarball. */
import { configure } from '../configure.ts';
import { listen } from '../listener.ts';
import { work } from '../worker.ts';
import { linuxListener, linuxSystem, linuxWorker } from './linux-system.ts';

async function main([program = '', root = '.', ...rest]: readonly string[]): Promise<number> {
  // Its listener starts it with three; the original ends with 1 otherwise.
  if (program === 'worker') return rest.length === 3 ? await work(await linuxWorker(root)) : 1;
  const [command = 'run', ...options] = rest;
  if (command === 'configure') return await configure(linuxSystem(root, options));
  if (command === 'remove') return await configure(linuxSystem(root, rest));
  if (command === '--version') {
    process.stdout.write(`${linuxSystem(root, []).version}\n`);
    return 0;
  }
  return await listen(linuxListener(root, options));
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    // As the original when its own log cannot be written.
    process.stderr.write(`An error occurred: ${(error as Error).message}\n`);
    process.exit(2);
  },
);
