import type { Transport } from './transport.ts';

/** Set by `npm run test:elasticsearch`: the server to hold the suite against. Without it the embedded cluster is meant. */
export const serverUrl = process.env.DROVER_CONTRACT_ELASTICSEARCH;

/** Set by `npm run test:elasticsearch -- --record`: the server's responses become the expected ones. */
export const recording = process.env.DROVER_CONTRACT_RECORD === 'true';

/** Set by `npm run test:elasticsearch` where it has booted the server: who restarts all nodes of it. */
const restartUrl = process.env.DROVER_CONTRACT_RESTART;

/** Set by `npm run test:elasticsearch` where it has booted the server: the ports of its nodes, in their order. */
const ports = process.env.DROVER_CONTRACT_PORTS?.split(',').map(Number);

/** Loads only what is needed. */
export async function openTransport(): Promise<Transport> {
  if (serverUrl !== undefined)
    return (await import('./server-transport.ts')).serverTransport(serverUrl, { restartUrl, ports });
  return (await import('./embedded-transport.ts')).embeddedTransport();
}
