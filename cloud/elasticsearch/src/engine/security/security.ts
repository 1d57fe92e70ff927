import type { HttpRequest } from '@drover/cloud-engine';
import type { SearchNode } from '../coordination/search-node.ts';
import { ElasticsearchError } from '../errors.ts';
import { authenticate, type Principal, rolesAt, type SecuritySettings } from './authenticate.ts';
import { authorize, type Demand, maySee } from './authorize.ts';

/** Authentication and privileges of a cluster (`xpack.security.enabled: true`). */
export class Security {
  readonly settings: SecuritySettings;
  /** A node asks with each request, and its files change rarely. */
  readonly #ofNodes = new WeakMap<SearchNode, SecuritySettings>();

  constructor(settings: SecuritySettings) {
    this.settings = settings;
  }

  /** The user that sends the request; throws 401 without valid credentials. */
  authenticate(request: HttpRequest, node: SearchNode, nowMs: number): Principal {
    const secured = nowMs - node.startedAtMs >= (node.options.securityStartMs ?? 0);
    return authenticate(request, node.view()?.state, this.#settingsOf(node), secured);
  }

  /** Roles and anonymous access are files and settings of each node; a node without its own has those of the cluster. */
  #settingsOf(node: SearchNode): SecuritySettings {
    const { bootstrapPassword = this.settings.bootstrapPassword, security = this.settings } = node.options;
    const { roles, anonymous } = security;
    const known = this.#ofNodes.get(node);
    const isSame =
      known?.bootstrapPassword === bootstrapPassword && known?.roles === roles && known?.anonymous === anonymous;
    if (known !== undefined && isSame) return known;
    const settings: SecuritySettings = {
      fileUsers: node.fileUsers,
      ...(bootstrapPassword === undefined ? {} : { bootstrapPassword }),
      ...(roles === undefined ? {} : { roles }),
      ...(anonymous === undefined ? {} : { anonymous }),
    };
    this.#ofNodes.set(node, settings);
    return settings;
  }

  /**
   * Throws when the user's roles do not grant the action at a node. Without a user or an action there is nothing to
   * check. A node that gets a request from another one looks the roles up again, in its own `roles.yml` (recorded from
   * 8.19.21).
   */
  authorize(user: Principal | undefined, demand: Demand | undefined, node: SearchNode): void {
    if (user === undefined || demand === undefined) return;
    const settings = this.#settingsOf(node);
    const { ownRoles, kind } = user;
    const here = ownRoles === undefined ? user : rolesAt(ownRoles, kind, node.view()?.state, settings);
    const asked = here.permissions === user.permissions ? user : { ...user, ...here };
    authorize(asked, demand, settings.anonymous?.authzException ?? true);
  }

  /** Why one part of a request is not allowed, or undefined. */
  refusal(
    user: Principal | undefined,
    action: string,
    index: string,
    node: SearchNode,
  ): ElasticsearchError | undefined {
    try {
      this.authorize(user, { action, indices: [index] }, node);
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
