export type { DroverIo, OperatorClients } from '@drover/operator/io';
export { main } from './main.ts';
