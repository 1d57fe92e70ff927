import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { ControlName, LifeEvent, Observation } from '../api.ts';
import { isControl } from './control-names.ts';
import { guard } from './guard.ts';
import type { PageFiles } from './page-files.ts';
import { orRefused, type WhatIf, whatIfRoutes } from './what-if-routes.ts';

/** The part of the world or the account that the server needs. */
export interface ConsoleBackend {
  state(): Promise<Observation>;
  /** Undefined where nothing can be controlled. */
  readonly control: ((name: ControlName, input: never) => Promise<void>) | undefined;
  lifeOf(instanceId: string): readonly LifeEvent[];
  /** Earlier observations; oldest first. */
  readonly frames?: { readonly moments: readonly number[]; at(moment: number): Observation | undefined };
  /** Begins to replay up to a moment, from which another course of events takes over; from the beginning on at moment 0. */
  branch?(at: number): void;
  /** Begins to replay a course of events that was left, which then takes over. */
  returnTo?(course: number): void;
  readonly whatIf: WhatIf;
  /** Resolves when there may be something new to show. */
  nextState(signal: AbortSignal): Promise<void>;
}

/** The page, its state, its live events and its controls. */
export function consoleServer(backend: ConsoleBackend, files: PageFiles): Hono {
  const app = new Hono();
  app.use('*', guard);
  app.use('*', async (context, next) => {
    await next();
    // The page needs nothing from elsewhere, and no other site may put it into a frame.
    context.header(
      'content-security-policy',
      "default-src 'self'; font-src data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
    );
    context.header('x-content-type-options', 'nosniff');
  });
  app.get('/api/state', async (context) => context.json(await backend.state()));
  app.get('/api/events', (context) =>
    streamSSE(context, async (stream) => {
      const over = new AbortController();
      stream.onAbort(() => over.abort());
      while (!over.signal.aborted) {
        await stream.writeSSE({ data: JSON.stringify(await backend.state()) });
        await backend.nextState(over.signal).catch(() => over.abort());
      }
    }),
  );
  app.get('/api/instances/:id', (context) => context.json(backend.lifeOf(context.req.param('id'))));
  app.get('/api/frames', (context) => context.json(backend.frames?.moments ?? []));
  app.get('/api/frames/:at', (context) => {
    const frame = backend.frames?.at(Number(context.req.param('at')));
    return frame === undefined ? context.json({ message: 'no frame is that old' }, 404) : context.json(frame);
  });
  app.post('/api/branch', async (context) => {
    const { at } = (await context.req.json()) as { readonly at?: unknown };
    if (backend.branch === undefined || typeof at !== 'number')
      return context.json({ message: 'nothing to branch' }, 409);
    backend.branch(at);
    return context.body(null, 204);
  });
  app.post('/api/courses/:id', (context) => {
    if (backend.returnTo === undefined) return context.json({ message: 'there is no other timeline here' }, 409);
    backend.returnTo(Number(context.req.param('id')));
    return context.body(null, 204);
  });
  app.post('/api/controls/:name', async (context) => {
    const name = context.req.param('name');
    if (backend.control === undefined) return context.json({ message: 'this console only reads' }, 405);
    if (!isControl(name)) return context.json({ message: `there is no control ${name}` }, 404);
    const { control } = backend;
    return await orRefused(context, async () => {
      await control(name, (await context.req.json()) as never);
      return context.body(null, 204);
    });
  });
  whatIfRoutes(app, backend.whatIf);
  app.get('*', (context) => {
    const found = files[context.req.path === '/' ? '/index.html' : context.req.path];
    if (found === undefined) return context.json({ message: 'not found' }, 404);
    return context.body(readFileSync(found.file), 200, { 'content-type': found.type });
  });
  return app;
}
