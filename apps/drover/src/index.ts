export type { DroverIo, OperatorClients } from './io.ts';
export { main } from './main.ts';
