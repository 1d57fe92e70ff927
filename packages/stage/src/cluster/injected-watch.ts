import { asFetch } from '@drover/cloud-engine';
import type { World } from '@drover/cloud-world';
import { jsonLogger } from '@drover/core';
import { watchFunction } from '@drover/core/names/search-cluster';
import { clusterWatchFunction } from '@drover/functions/cluster-watch';
import { directCalls } from '../fleet/direct-calls.ts';

/**
 * Runs the code of the function that watches a cluster in this process instead of its bundle: every five minutes the environment
 * of the last run has been given up, and loading the bundle again would cost more than everything that it does.
 */
export const injectWatch = (world: World, clusterName: string): void =>
  world.operate.injectFunction(
    (name) => name === watchFunction(clusterName),
    (environment) => {
      const { env, clock, random, http } = environment;
      return clusterWatchFunction({
        env,
        clock,
        random,
        log: jsonLogger({ clock, write: (line) => environment.log(line) }),
        fetch: asFetch(http),
        aws: directCalls(world, () => environment.caller),
      });
    },
  );
