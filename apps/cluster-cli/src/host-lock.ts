import { createServer } from 'node:net';
import type { HostLock } from '@drover/search-cluster';

/** An abstract Unix socket: it has no file that could be left behind, and the kernel frees it when the process dies. */
export const socketLock: HostLock = {
  acquire: (name) =>
    new Promise((resolve, reject) => {
      const server = createServer((connection) => connection.destroy());
      server.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRINUSE') resolve(undefined);
        else reject(error);
      });
      server.listen(`\0drover/${name}`, () => {
        server.unref();
        resolve({ release: () => new Promise((done) => server.close(() => done())) });
      });
    }),
};
