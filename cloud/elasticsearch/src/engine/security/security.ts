import type { HttpRequest } from '@drover/cloud-engine';
import type { Call } from '../../http/call.ts';
import { RestError } from '../errors.ts';
import type { Route } from '../../http/routes/route.ts';
import type { SearchNode } from '../coordination/search-node.ts';
import { authenticate, type Principal, type SecuritySettings } from './authenticate.ts';
import { authorize, maySee } from './authorize.ts';

/** Authentication and privileges of a cluster (`xpack.security.enabled: true`). */
export class Security {
  readonly settings: SecuritySettings;

  constructor(settings: SecuritySettings) {
    this.settings = settings;
  }

  /** Who sends the request; throws 401 when that cannot be told. */
  authenticate(request: HttpRequest, node: SearchNode, nowMs: number): Principal {
    return authenticate(request, node.view()?.state, this.settings, nowMs);
  }

  /** Throws 403 (or 401 for an anonymous user) when the request is not allowed. */
  authorize(call: Call, route: Route): void {
    if (route.action === undefined || call.user === undefined) return;
    const ownUser = route.ownUser?.(call) ?? false;
    authorize(
      call.user,
      { action: route.action, indices: route.indices?.(call) ?? [], ownUser },
      this.settings.anonymous?.authzException ?? true,
    );
  }

  /** Why one part of a request is not allowed, or undefined. */
  refusal(call: Call, action: string, index: string): RestError | undefined {
    try {
      if (call.user !== undefined)
        authorize(call.user, { action, indices: [index] }, this.settings.anonymous?.authzException ?? true);
      return undefined;
    } catch (error) {
      if (error instanceof RestError) return error;
      throw error;
    }
  }

  /** Whether wildcards of this request may stand for an index. */
  maySee(call: Call, route: Route, index: string): boolean {
    return (
      call.user === undefined ||
      route.action === undefined ||
      !route.action.startsWith('indices:') ||
      maySee(call.user, route.action, index)
    );
  }
}
