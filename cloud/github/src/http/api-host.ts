import type { Credentials } from '../credentials/credentials.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { SecondaryLimits } from '../limits/secondary-limits.ts';
import type { RunnerPages } from '../runners/runner-pages.ts';
import type { RunnerRegistry } from '../runners/runner-registry.ts';
import type { ScaleSetService } from '../scale-sets/service.ts';
import type { RepositoryFiles } from '../workflows/repository-files.ts';
import type { WorkflowRuns } from '../workflows/workflow-runs.ts';

/** The organisation behind the API, as routes and the admission of requests see it. */
export interface ApiHost {
  readonly org: string;
  readonly orgId: number;
  readonly enterpriseName: string;
  readonly apiUrl: string;
  readonly webUrl: string;
  /** An Enterprise Server serves its API below /api/v3 (docs.github.com, "Getting started with the REST API"). */
  readonly enterprise: boolean;
  readonly foundedAt: number;
  readonly registry: RunnerRegistry;
  readonly pages: RunnerPages;
  readonly scaleSetService: ScaleSetService;
  readonly files: RepositoryFiles;
  readonly runs: WorkflowRuns;
  readonly credentials: Credentials;
  readonly limits: RateLimits;
  readonly secondaryLimits: SecondaryLimits;
  /** Runner groups: id by name. */
  readonly groups: ReadonlyMap<string, number>;
  /** Throws 404 when there is no such runner group. */
  groupWithId(id: number): { readonly id: number; readonly name: string };
}
