import {
  autoScaling,
  cloudWatch,
  type SignedConfig,
  s3,
  secretsManager,
  signedCalls,
} from '@drover/adapters/aws/signed';
import { nodeFetch } from '@drover/adapters/http';
import { jsonLogger, RealClock, SystemRandom } from '@drover/core';

/** The common environment of functions in Lambda. */
export function lambdaRuntime() {
  const clock = new RealClock();
  return {
    env: process.env,
    clock,
    random: new SystemRandom(),
    log: jsonLogger({ clock, write: (line) => console.log(line) }),
    fetch: nodeFetch,
  };
}

/** Region, credentials and endpoint of the function's calls to AWS. */
export function signedConfig(region: string): SignedConfig {
  const { AWS_ENDPOINT_URL: endpoint } = process.env;
  return { region: async () => region, credentials, ...(endpoint === undefined ? {} : { endpoint }) };
}

/** The services that the functions call that count runners. */
export function countingAws(region: string) {
  const config = signedConfig(region);
  return {
    autoscaling: signedCalls(autoScaling, config),
    monitoring: signedCalls(cloudWatch, config),
    s3: signedCalls(s3, config),
    secretsmanager: signedCalls(secretsManager, config),
  };
}

/** Lambda puts the role's credentials into the environment. */
async function credentials() {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = process.env;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new Error('no credentials in the environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set');
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}
