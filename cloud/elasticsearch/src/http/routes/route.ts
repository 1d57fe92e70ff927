import type { XValue } from '../../engine/values/value.ts';
import type { Call } from '../call.ts';
import type { Table } from '../cat/table.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'PATCH' | 'TRACE' | 'CONNECT';

/** What a handler answers. */
export interface Reply {
  /** @default 200 */
  readonly status?: number;
  readonly body?: XValue;
  readonly text?: string;
  readonly table?: Table;
  readonly bytes?: { readonly type: string; readonly content: Uint8Array };
  readonly headers?: Readonly<Record<string, string>>;
  /** Pretty-printed although nobody asked. */
  readonly pretty?: boolean;
}

/** One endpoint: its name in the API specification, its paths, what it may be asked. */
export interface Route {
  readonly api: string;
  /** The action that privileges are written for, e.g. `cluster:monitor/health`; undefined for what needs none. */
  readonly action?: string;
  readonly methods: readonly Method[];
  /** `/_cluster/health/{index}` */
  readonly paths: readonly string[];
  /** Query parameters beside the common ones. */
  readonly params?: readonly string[];
  /** Names of indices the request touches, for index privileges. */
  readonly indices?: (call: Call) => readonly string[];
  /** Whether the request is about the asking user only, which needs no privilege. */
  readonly ownUser?: (call: Call) => boolean;
  /** Only servers of a version below this have it. */
  readonly below?: string;
  /** Body is lines of JSON and not one document. */
  readonly lines?: boolean;
  run(call: Call): Promise<Reply> | Reply;
}
