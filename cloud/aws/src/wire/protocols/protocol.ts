import type { HttpRequest, HttpResponse } from '@drover/cloud-engine';
import type { AwsError } from '../../account/errors.ts';
import type { OperationModel, ServiceModel } from '../schema/service-model.ts';

/** A request with its query taken apart. */
export interface WireRequest extends HttpRequest {
  readonly params: URLSearchParams;
}

export interface WireResponse extends HttpResponse {
  /** SDK clients expect a stream here, bytes elsewhere. */
  readonly streams?: boolean;
}

/** The operation that a request names, and how to read its input. */
export interface Route {
  readonly operation: OperationModel;
  /** Throws, or rejects, when the request is malformed. */
  readInput(): unknown;
}

/** One way to put an operation on the wire. */
export interface Protocol {
  /** Throws the error for an unknown operation or a request that is not of this protocol. */
  route(request: WireRequest, model: ServiceModel): Route;
  writeOutput(operation: OperationModel, output: unknown, model: ServiceModel, requestId: string): WireResponse;
  /** The model is absent when the service is unknown. */
  writeError(error: AwsError, model: ServiceModel | undefined, requestId: string): WireResponse;
  /** Codes for a body that cannot be read and for an absent required member. */
  readonly malformedCode: string;
  readonly missingCode: string;
}

/** AWS's wording for an operation that a service does not have. */
export const couldNotFind = (operation: string, version: string): string =>
  `Could not find operation ${operation} for version ${version}`;
