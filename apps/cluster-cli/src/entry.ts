/** What the built file runs. */
import { main } from './main.ts';
import { processIo } from './process-io.ts';

process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
void main(process.argv.slice(2), processIo()).then((code) => {
  // Kept connections would hold the process for seconds; what was written to a pipe is flushed first.
  process.exitCode = code;
  const end = () => process.exit(code);
  if (process.stdout.writableLength === 0) end();
  else process.stdout.write('', end);
});
