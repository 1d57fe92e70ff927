/** What `drover local` may be told. */
export interface LocalOptions {
  /** Simulated seconds a second. */
  readonly speed: number;
  readonly seed: string;
  /** The console; AWS, the platform and search follow. */
  readonly portBase: number;
  readonly consolePort?: number;
  readonly awsPort?: number;
  readonly platformPort?: number;
  readonly searchPort: number;
  readonly jobsPerHour: number;
  /** Runners on spot instances, above one on demand. */
  readonly spot: boolean;
  /** Folder of the session. */
  readonly state: string;
  readonly reset: boolean;
  readonly once: boolean;
}

export interface Ports {
  readonly console: number;
  readonly aws: number;
  readonly platform: number;
  readonly search: number;
}

export const portsOf = (options: LocalOptions): Ports => ({
  console: options.consolePort ?? options.portBase,
  aws: options.awsPort ?? options.portBase + 1,
  platform: options.platformPort ?? options.portBase + 2,
  search: options.searchPort,
});
