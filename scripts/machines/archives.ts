import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Files of a package archive that have another content under the same name later. */
const changes = /\/(InRelease|Release|Release\.gpg|Packages(\.\w+)?|Sources(\.\w+)?)$/;

/**
 * A mirror of package archives for machines, which nothing leads out of: what they ask for is fetched once and kept. It listens on a socket in
 * the file system, which their world reaches from its own network.
 */
export async function serveArchives(socket: string, cache = cacheFolder()): Promise<Server> {
  const fetching = new Map<string, Promise<Buffer | undefined>>();
  const server = createServer((request, response) => {
    const url = `http://${request.headers.host}${request.url}`;
    const work = fetching.get(url) ?? fetchOnce(url, cache);
    fetching.set(url, work);
    work
      .then((found) => {
        response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/octet-stream' }).end(found);
      })
      .catch((error: Error) => {
        response.writeHead(502, { 'content-type': 'text/plain' }).end(error.message);
      })
      .finally(() => fetching.delete(url));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve));
  // It must not keep the lane from ending.
  server.unref();
  return server;
}

/** From the cache, unless the archive has something newer; undefined for a file that does not exist. */
async function fetchOnce(url: string, cache: string): Promise<Buffer | undefined> {
  const file = join(cache, createHash('sha256').update(url).digest('hex'));
  const { pathname } = new URL(url);
  if (existsSync(file) && !changes.test(pathname)) return readFileSync(file);
  try {
    const answer = await fetch(url);
    if (answer.status === 404) return undefined;
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    mkdirSync(cache, { recursive: true });
    writeFileSync(`${file}.${process.pid}`, bytes);
    renameSync(`${file}.${process.pid}`, file);
    return bytes;
  } catch (error) {
    if (existsSync(file)) return readFileSync(file);
    throw error;
  }
}

const cacheFolder = () => join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'drover', 'archives');
