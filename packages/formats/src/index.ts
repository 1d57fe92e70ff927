export { CborError, decodeCbor } from './cbor-decode.ts';
export { encodeCbor } from './cbor-encode.ts';
export { decodeSmile, SmileError } from './smile-decode.ts';
export { encodeSmile } from './smile-encode.ts';
export { type Document, Double, isLong, type Value } from './value.ts';
