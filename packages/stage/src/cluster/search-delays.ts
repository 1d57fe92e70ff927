/** Milliseconds of what a search machine does, drawn between both. */
export const searchDelays = {
  /** Packages from the distribution's mirrors, at the first boot. */
  packages: { least: 20_000, most: 60_000 },
  /** 650 MB of Elasticsearch from the mirror. */
  fetchElasticsearch: { least: 10_000, most: 60_000 },
  /** 60 MB of our software from S3, and the time to unpack them. */
  fetchSoftware: { least: 5_000, most: 20_000 },
  /** Puppet takes its time, most of it for packages at the first run. */
  firstConfiguration: { least: 60_000, most: 150_000 },
  configuration: { least: 8_000, most: 20_000 },
  /** From SIGTERM until the process has closed its shards and ended. */
  stop: { least: 1_000, most: 60_000 },
  /** From the start of the service until Elasticsearch listens. */
  start: { least: 15_000, most: 40_000 },
  /** From there until it can read the security index. */
  security: { least: 0, most: 20_000 },
} as const;
