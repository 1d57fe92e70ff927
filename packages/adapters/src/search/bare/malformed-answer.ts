/** What came is not HTTP; the code is of the family by which Node's own reader says so. */
export class MalformedAnswer extends Error {
  readonly code = 'HPE_MALFORMED';
}

/** The connection ended too early; the code is the one that Node's own client gives. */
export class CutAnswer extends Error {
  readonly code = 'ECONNRESET';
}
