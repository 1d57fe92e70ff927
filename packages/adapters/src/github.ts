/** GitHub's REST API, as far as a runner fleet uses it. */
export { appCredentials } from './github/app-credentials.ts';
export { PlatformClient } from './github/client.ts';
export { appJwt, type PlatformCredentials, type SealingCredentials, tokenCredentials } from './github/credentials.ts';
export { PlatformStatusError } from './github/failures.ts';
export { installations } from './github/installations.ts';
export { type LimitStatus, rateLimit } from './github/rate-limit.ts';
export { publishedReleases } from './github/releases.ts';
export { platformRunners } from './github/runners.ts';
export { ActionsService, isRefusedWith } from './github/scale-sets/actions-service.ts';
export { type ActionsConnection, actionsConnection } from './github/scale-sets/connection.ts';
export { demandService, scaleSetEnd, sessionOpening } from './github/scale-sets/demand-service.ts';
export { jitConfigurations, scaleSetDirectory, scaleSetRunners } from './github/scale-sets/scale-set-runners.ts';
export { workflowRuns } from './github/workflows/workflow-runs.ts';
