import type { HttpResponse } from '@drover/cloud-engine';

export const json = (status: number, body: object): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
});

/** Nothing new. A body, even an empty object, would be taken for a message. */
export const empty = (status: number): HttpResponse => ({ status, headers: {}, body: '' });

/** The runner understands a refusal by this body alone, whatever the status is (actions/runner, BrokerError.cs). */
export const brokerError = (status: number, errorKind: BrokerErrorKind, errorMessage: string): HttpResponse =>
  json(status, { source: 'actions-broker-listener', errorKind, statusCode: status, errorMessage });

type BrokerErrorKind = 'RunnerNotFound' | 'RunnerVersionTooOld' | 'RunnerSessionInvalid' | 'AcknowledgeJobNotFound';

export const runServiceError = (status: number, errorMessage: string): HttpResponse =>
  json(status, { source: 'actions-run-service', statusCode: status, errorMessage });
