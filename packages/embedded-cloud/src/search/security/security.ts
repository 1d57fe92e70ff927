import type { HttpRequest } from '../../engine/http.ts';
import type { Call } from '../rest/call.ts';
import type { Route } from '../rest/route.ts';
import type { SearchNode } from '../search-node.ts';

/** Who asks. */
export interface Principal {
  readonly username: string;
  readonly roles: readonly string[];
}

/** Authentication and privileges of a cluster. */
export interface Security {
  authenticate(request: HttpRequest, node: SearchNode): Principal;
  authorize(call: Call, route: Route): void | Promise<void>;
}
