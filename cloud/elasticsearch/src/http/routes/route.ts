import type { Value } from '@drover/formats';
import type { Call } from '../call.ts';
import type { Table } from '../cat/table.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'PATCH' | 'TRACE' | 'CONNECT';

/** The result of a handler. */
export interface Reply {
  /** @default 200 */
  readonly status?: number;
  readonly body?: Value;
  readonly text?: string;
  readonly table?: Table;
  readonly bytes?: { readonly type: string; readonly content: Uint8Array };
  readonly headers?: Readonly<Record<string, string>>;
  /** Pretty-printed without being asked. */
  readonly pretty?: boolean;
}

/**
 * The hand-written part of one API. Its paths, methods and query parameters come from the published API description.
 */
export interface Endpoint {
  /** Its name in the API description. */
  readonly api: string;
  /** The action that privileges are written for, e.g. `cluster:monitor/health`; undefined for what needs none. */
  readonly action?: string;
  /** Actions that a request needs beside that one. */
  readonly actions?: (call: Call) => readonly string[];
  /** Requests beside those of the description, as `HEAD /_alias/{name}`: other methods, and paths of older versions. */
  readonly also?: readonly string[];
  /** Requests instead of those of the description. */
  readonly only?: readonly string[];
  /** Query parameters beside those of the description, mostly of older versions. */
  readonly params?: readonly string[];
  /** Query parameters of the description that are not modelled: they are refused, never ignored. */
  readonly without?: readonly string[];
  /** Query parameters of the description that servers before 9.0 do not know either. */
  readonly newer?: readonly string[];
  /** Names of indices the request touches, for index privileges. */
  readonly indices?: (call: Call) => readonly string[];
  /** Whether the request is about the asking user only, which needs no privilege. */
  readonly ownUser?: (call: Call) => boolean;
  /** Only servers of this version or a later one have it. */
  readonly since?: string;
  /** Only servers of a version below this have it. */
  readonly below?: string;
  /** Body is lines of JSON and not one document. */
  readonly lines?: boolean;
  run(call: Call): Promise<Reply> | Reply;
}

/** An API with everything it can be asked. */
export interface Route extends Endpoint {
  /** `GET /_cluster/health/{index}` */
  readonly requests: readonly string[];
  readonly params: readonly string[];
  /** Query parameters of the description that are not modelled. */
  readonly refused: readonly string[];
  /** Whether a request may have a body. */
  readonly body: boolean;
}

/** The part of the published API description that routes are made of, by API. */
export type RequestTable = Readonly<
  Record<string, { readonly requests: readonly string[]; readonly params: readonly string[]; readonly body: boolean }>
>;
