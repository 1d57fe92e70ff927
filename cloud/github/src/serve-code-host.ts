import { type Served, type ServeOptions, serve } from '@drover/cloud-engine';
import type { CodeHost } from './code-host.ts';

export interface ServedCodeHost extends Served {
  /** The address of the API: the base path of an Enterprise Server included. */
  readonly apiUrl: string;
}

/** Serves the code host's API on loopback, for clients in other processes: curl, a browser, `drover fleet`. */
export async function serveCodeHost(host: CodeHost, options: ServeOptions = {}): Promise<ServedCodeHost> {
  const served = await serve(host.handle, options);
  return { ...served, apiUrl: `${served.url}${host.enterprise ? '/api/v3' : ''}` };
}
