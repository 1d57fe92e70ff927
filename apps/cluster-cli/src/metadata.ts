import { type MetadataService, metadataService } from '@drover/adapters/aws';
import type { Context } from './context.ts';

/** The instance's own metadata; needs neither a permission nor the SDK. */
export const instanceMetadata = ({ io }: Pick<Context, 'io'>): MetadataService =>
  metadataService({
    exchange: io.exchange,
    clock: io.clock,
    endpoint: io.env.AWS_EC2_METADATA_SERVICE_ENDPOINT,
  });
