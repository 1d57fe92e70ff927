import { ecs, secretsManager, signedCalls } from '@drover/adapters/aws/signed';
import { lambdaRuntime, signedConfig } from '../lambda.ts';
import { required } from '../module-function.ts';
import { webUiRedeploymentFunction } from './web-ui-redeployment.ts';

const config = signedConfig(required(process.env, 'AWS_REGION'));

export const handler = webUiRedeploymentFunction({
  ...lambdaRuntime(),
  aws: { ecs: signedCalls(ecs, config), secretsmanager: signedCalls(secretsManager, config) },
});
