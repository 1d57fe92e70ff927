export { World } from '@drover/cloud-world';
export { S3Client } from '@aws-sdk/client-s3';
