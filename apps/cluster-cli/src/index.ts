export { exitCodes } from './exit-codes.ts';
export * from './io.ts';
export { main } from './main.ts';
export { preload } from './preload.ts';
export { processIo } from './process-io.ts';
export { version } from './version.ts';
