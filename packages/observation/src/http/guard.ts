import type { MiddlewareHandler } from 'hono';

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The host part of a Host header or an origin. */
const nameOf = (host: string): string => host.replace(/:\d+$/, '').toLowerCase();

/**
 * Lets in only who addressed this server by a loopback name (a name that was rebound to loopback is another site's
 * page), and control requests only from the page itself.
 */
export const guard: MiddlewareHandler = async (context, next) => {
  const host = context.req.header('host') ?? '';
  if (!loopbackNames.has(nameOf(host)))
    return context.json({ message: `this server accepts loopback names only, not ${host}` }, 403);
  const { method } = context.req;
  if (method !== 'GET' && method !== 'HEAD') {
    const origin = context.req.header('origin');
    if (origin !== undefined && origin !== `http://${host}`)
      return context.json({ message: `control requests come from this page only, not from ${origin}` }, 403);
    if (!(context.req.header('content-type') ?? '').startsWith('application/json'))
      return context.json({ message: 'control requests are JSON' }, 415);
  }
  return await next();
};
