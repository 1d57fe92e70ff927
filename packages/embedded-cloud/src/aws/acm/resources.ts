import type { Random } from '@drover/core';
import { type ArnScope, arn } from '../arn.ts';
import type { ResourceProviders } from '../service.ts';

/** Certificates as far as templates need them: an ARN. Nothing is issued or validated. */
export const acmResources = (scope: ArnScope, random: Random): ResourceProviders => ({
  'AWS::CertificateManager::Certificate': {
    shapeOnly: true,
    create: () => {
      const physicalId = arn(scope, 'acm', `certificate/${random.uuid()}`);
      return { physicalId, attributes: { Id: physicalId } };
    },
    update: ({ physicalId }) => ({ physicalId }),
    delete: () => {},
  },
});
