/** What a client is made with. Whoever has more than a region, e.g. a transport of its own, gives it too: the SDK takes it. */
export interface SdkConfig {
  readonly region: string;
  readonly [setting: string]: unknown;
}
