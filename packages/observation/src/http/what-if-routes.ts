import { describeError, remedyOf, TerminalError } from '@drover/core';
import type { Context, Hono } from 'hono';
import type { WhatIfRequest, WhatIfRun, WhatIfState } from '../api.ts';
import type { FleetInputs } from '../observed-inputs.ts';

/** Runs questions about the effect of other inputs. */
export interface WhatIf {
  state(): WhatIfState;
  run(id: number): WhatIfRun | undefined;
  picture(id: number): string | undefined;
  start(request: WhatIfRequest): WhatIfRun;
  cancel(id: number): void;
}

/** Runs what-if questions about the fleet that is observed, in processes that `stop` ends. */
export type OpenWhatIf = (options: WhatIfDeskOptions) => WhatIf & { stop(): void };

export interface WhatIfDeskOptions {
  /** The folder of the results. */
  readonly folder: string;
  /** Of the fleet that is observed, or why they are not known. */
  readonly inputs: () => FleetInputs | string;
}

/** Without the package that replays. */
export const noWhatIf = (refused: string): ReturnType<OpenWhatIf> => {
  const refuse = () => {
    throw new TerminalError(refused);
  };
  return {
    state: () => ({ refused, inputs: undefined, runs: [] }),
    run: () => undefined,
    picture: () => undefined,
    start: refuse,
    cancel: refuse,
    stop: () => {},
  };
};

/** Questions of the page: begun, looked at, cancelled, and their pictures. */
export function whatIfRoutes(app: Hono, whatIf: WhatIf): void {
  const idOf = (context: { req: { param(name: 'id'): string | undefined } }) => Number(context.req.param('id'));
  app.get('/api/what-if', (context) => context.json(whatIf.state()));
  app.get('/api/what-if/:id', (context) => {
    const run = whatIf.run(idOf(context));
    return run === undefined ? context.json({ message: 'this result is no longer kept' }, 404) : context.json(run);
  });
  app.get('/api/what-if/:id/picture.svg', (context) => {
    const picture = whatIf.picture(idOf(context));
    if (picture === undefined) return context.json({ message: 'there is no picture' }, 404);
    return context.body(picture, 200, { 'content-type': 'image/svg+xml' });
  });
  app.post('/api/what-if', (context) =>
    orRefused(context, async () => context.json(whatIf.start((await context.req.json()) as WhatIfRequest), 202)),
  );
  app.post('/api/what-if/:id/cancel', (context) =>
    orRefused(context, () => {
      whatIf.cancel(idOf(context));
      return context.body(null, 204);
    }),
  );
}

/** The response, or why an act was refused. */
export async function orRefused(context: Context, act: () => Promise<Response> | Response): Promise<Response> {
  try {
    return await act();
  } catch (error) {
    return context.json({ message: errorText(error) }, 409);
  }
}

/** Describes an error, with its remedy. */
function errorText(error: unknown): string {
  const remedy = remedyOf(error);
  return remedy === undefined ? describeError(error) : `${describeError(error)}; ${remedy}`;
}
