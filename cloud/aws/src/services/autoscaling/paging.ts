import { AwsError } from '../../account/errors.ts';
import { nextTokenPage } from '../../account/paging.ts';

const invalidToken = () => new AwsError('InvalidNextToken', 'The NextToken value is not valid.', 400);

/** One page of a list and the token of the next: MaxRecords, default and maximum per operation. */
export const page = <T>(
  items: readonly T[],
  request: { readonly NextToken?: string | undefined; readonly MaxRecords?: number | undefined },
  limits: { readonly standard: number; readonly most: number },
) => nextTokenPage(items, request, Math.min(request.MaxRecords ?? limits.standard, limits.most), invalidToken);
