import { request } from 'node:http';
import type { HttpRequest, HttpResponse } from '@drover/cloud-engine';
import type { World } from '@drover/cloud-world';

/** The hosts of the packages of Debian and Ubuntu. */
const archives = /^((deb|security)\.debian\.org|(archive|security|ports)\.ubuntu\.com)$/;

/** The package archives of the distributions, by a mirror outside the machines' network: scripts/machines/archives.ts. */
export function serveArchives({ network }: World): void {
  const socketPath = process.env.DROVER_ARCHIVES;
  if (socketPath === undefined) throw new Error('scripts/test-machines.ts serves the archives that this needs');
  network.register(archives, (asked) => ask(socketPath, asked));
}

function ask(socketPath: string, { host, path }: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, headers: { host } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => {
        const body = Buffer.concat(parts);
        const headers = { 'content-type': 'application/octet-stream', 'content-length': String(body.length) };
        resolve({ status: response.statusCode ?? 502, headers, body });
      });
    });
    sent.once('error', reject);
    sent.end();
  });
}
