import { s3, signedCalls } from '@drover/adapters/aws/signed';
import { lambdaRuntime, signedConfig } from '../lambda.ts';
import { required } from '../module-function.ts';
import { softwareFunction } from './software.ts';

const config = signedConfig(required(process.env, 'AWS_REGION'));

export const handler = softwareFunction({ ...lambdaRuntime(), aws: { s3: signedCalls(s3, config) } });
