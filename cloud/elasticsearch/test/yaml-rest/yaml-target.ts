/** A server's response. */
export interface YamlAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `node_selector`: which nodes may be asked. */
export interface NodeSelector {
  readonly version?: string;
  readonly attribute?: Readonly<Record<string, string>>;
}

export interface YamlTarget {
  readonly version: string;
  readonly features: readonly string[];
  ask(
    method: string,
    target: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
    selector?: NodeSelector,
  ): Promise<YamlAnswer>;
}
