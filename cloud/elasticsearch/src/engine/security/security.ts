import type { HttpRequest } from '@drover/cloud-engine';
import type { SearchNode } from '../coordination/search-node.ts';
import { ElasticsearchError } from '../errors.ts';
import { authenticate, type Principal, type SecuritySettings } from './authenticate.ts';
import { authorize, type Demand, maySee } from './authorize.ts';

/** Authentication and privileges of a cluster (`xpack.security.enabled: true`). */
export class Security {
  readonly settings: SecuritySettings;

  constructor(settings: SecuritySettings) {
    this.settings = settings;
  }

  /** The user that sends the request; throws 401 without valid credentials. */
  authenticate(request: HttpRequest, node: SearchNode, nowMs: number): Principal {
    const { securityStartMs = 0, bootstrapPassword } = node.options;
    const settings = bootstrapPassword === undefined ? this.settings : { ...this.settings, bootstrapPassword };
    const secured = nowMs - node.startedAtMs >= securityStartMs;
    return authenticate(request, node.view()?.state, { ...settings, fileUsers: node.fileUsers }, nowMs, secured);
  }

  /** Throws when the user's roles do not grant the action. Without a user or an action there is nothing to check. */
  authorize(user: Principal | undefined, demand: Demand | undefined): void {
    if (user === undefined || demand === undefined) return;
    authorize(user, demand, this.settings.anonymous?.authzException ?? true);
  }

  /** Why one part of a request is not allowed, or undefined. */
  refusal(user: Principal | undefined, action: string, index: string): ElasticsearchError | undefined {
    try {
      this.authorize(user, { action, indices: [index] });
      return undefined;
    } catch (error) {
      if (error instanceof ElasticsearchError) return error;
      throw error;
    }
  }

  /** Whether wildcards of a request for this action may stand for an index. */
  maySee(user: Principal | undefined, action: string | undefined, index: string): boolean {
    return user === undefined || action === undefined || !action.startsWith('indices:') || maySee(user, action, index);
  }
}
