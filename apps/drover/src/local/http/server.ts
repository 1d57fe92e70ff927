import { readFileSync } from 'node:fs';
import type { ControlName, LocalState } from '@drover/console/api';
import { DroverError, describeError } from '@drover/core';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { controls } from '../controls.ts';
import { guard } from './guard.ts';

/** What the server needs of the world behind it. */
export interface ConsoleBackend {
  look(): Promise<LocalState>;
  control(name: ControlName, input: never): Promise<void>;
  /** Resolves when there may be something new to show. */
  nextLook(signal: AbortSignal): Promise<void>;
}

export interface PageFiles {
  /** Path of the request → file and its media type. */
  readonly [path: string]: { readonly file: string; readonly type: string };
}

/** The page, its state, its live events and its controls. */
export function consoleServer(backend: ConsoleBackend, files: PageFiles): Hono {
  const app = new Hono();
  app.use('*', guard);
  app.use('*', async (context, next) => {
    await next();
    // The page needs nothing from elsewhere, and nobody may put it into a frame.
    context.header(
      'content-security-policy',
      "default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
    );
    context.header('x-content-type-options', 'nosniff');
  });
  app.get('/api/state', async (context) => context.json(await backend.look()));
  app.get('/api/events', (context) =>
    streamSSE(context, async (stream) => {
      const over = new AbortController();
      stream.onAbort(() => over.abort());
      while (!over.signal.aborted) {
        await stream.writeSSE({ data: JSON.stringify(await backend.look()) });
        await backend.nextLook(over.signal).catch(() => over.abort());
      }
    }),
  );
  app.post('/api/controls/:name', async (context) => {
    const name = context.req.param('name');
    if (!Object.hasOwn(controls, name)) return context.json({ message: `there is no control ${name}` }, 404);
    try {
      await backend.control(name as ControlName, (await context.req.json()) as never);
      return context.body(null, 204);
    } catch (error) {
      const remedy = error instanceof DroverError && error.remedy !== undefined ? `; ${error.remedy}` : '';
      return context.json({ message: `${describeError(error)}${remedy}` }, 409);
    }
  });
  app.get('*', (context) => {
    const found = files[context.req.path === '/' ? '/index.html' : context.req.path];
    if (found === undefined) return context.json({ message: 'not found' }, 404);
    return context.body(readFileSync(found.file), 200, { 'content-type': found.type });
  });
  return app;
}
