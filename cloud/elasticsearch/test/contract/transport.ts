export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface Ask {
  /** Bytes and texts are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The caller. @default an administrator */
  readonly as?: Credentials | 'nobody';
  /** Position of the node to ask. @default 0 */
  readonly node?: number;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case; several of a name joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** Read from JSON or YAML; undefined when it is neither. */
  // biome-ignore lint/suspicious/noExplicitAny: cases look into responses of every shape
  readonly body: any;
}

/** The server behind the suite: one way to send a request, one way to let time go by. */
export interface Transport {
  /** Sends exactly these headers and bytes to one of the nodes. */
  send(
    method: string,
    target: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    node: number,
  ): Promise<RawAnswer>;
  /** Whether the nodes are configured as `node-security.ts` says, and each can be asked. */
  readonly ownSecurity: boolean;
  /** Lets time go by: moves the virtual clock, or really waits. */
  pass(ms: number): Promise<void>;
  /**
   * Stops all nodes and starts them again with their data; undefined where that is impossible. Requests fail until they
   * listen.
   */
  readonly restart: (() => Promise<void>) | undefined;
  /** Stops one node in order, or starts it again with its data; returns when it has stopped, or is on its way. */
  readonly oneNode: ((what: 'stop' | 'start', node: number) => Promise<void>) | undefined;
  readonly administrator: Credentials;
  close(): Promise<void>;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}
