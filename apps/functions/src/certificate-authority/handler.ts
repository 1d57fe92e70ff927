import { secretsManager, signedCalls } from '@drover/adapters/aws/signed';
import { lambdaRuntime, signedConfig } from '../lambda.ts';
import { required } from '../module-function.ts';
import { certificateAuthorityFunction } from './certificate-authority.ts';

const config = signedConfig(required(process.env, 'AWS_REGION'));

export const handler = certificateAuthorityFunction({
  ...lambdaRuntime(),
  aws: { secretsmanager: signedCalls(secretsManager, config) },
});
