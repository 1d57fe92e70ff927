import type { Operations } from '../../../account/service.ts';
import { type Bucket, currentVersion, type ObjectVersion } from '../model.ts';
import { onBucket } from '../permissions.ts';
import type { Storage } from '../state.ts';

interface ListInput {
  readonly Bucket: string;
  readonly Prefix?: string;
  readonly Delimiter?: string;
  readonly MaxKeys?: number;
  readonly EncodingType?: 'url';
}

interface ListV2Input extends ListInput {
  readonly StartAfter?: string;
  readonly ContinuationToken?: string;
}

/** API Reference, ListObjectsV2: at most 1,000 keys in a page. */
const maxPage = 1000;

/** Keys, and the prefixes that stand for several keys, together at most `MaxKeys`. */
interface Page {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  readonly last: string;
  readonly truncated: boolean;
}

/** Lists of objects and of their versions. */
export const listOperations = (storage: Storage): Operations => ({
  ListObjectsV2: {
    permissions: (input: ListV2Input) => [onBucket('ListBucket', input.Bucket, listContext(input))],
    run: (input: ListV2Input) => {
      const bucket = storage.bucket(input.Bucket);
      const page = pageOf(currentKeys(bucket), input, fromToken(input.ContinuationToken) ?? input.StartAfter);
      return {
        ...described(input, page),
        KeyCount: page.keys.length + page.prefixes.length,
        ContinuationToken: input.ContinuationToken,
        StartAfter: input.StartAfter && encoded(input, input.StartAfter),
        Contents: page.keys.map((key) => entry(currentVersion(bucket, key)!, encoded(input, key))),
        ...(page.truncated ? { NextContinuationToken: toToken(page.last) } : {}),
      };
    },
  },
  ListObjectVersions: {
    permissions: (input: ListInput) => [onBucket('ListBucketVersions', input.Bucket, listContext(input))],
    run: (input: ListInput & { KeyMarker?: string }) => {
      const bucket = storage.bucket(input.Bucket);
      const page = pageOf([...bucket.objects.keys()], input, input.KeyMarker);
      const versions = page.keys.flatMap((key) => versionEntries(bucket, key, encoded(input, key)));
      return {
        ...described(input, page),
        Versions: versions.filter(({ deleteMarker }) => !deleteMarker).map(({ described: each }) => each),
        DeleteMarkers: versions.filter(({ deleteMarker }) => deleteMarker).map(({ marker }) => marker),
        ...(page.truncated ? { NextKeyMarker: encoded(input, page.last) } : {}),
      };
    },
  },
});

const listContext = (input: ListInput) => ({
  's3:prefix': input.Prefix ?? '',
  ...(input.Delimiter === undefined ? {} : { 's3:delimiter': input.Delimiter }),
});

const currentKeys = (bucket: Bucket) => [...bucket.objects.keys()].filter((key) => currentVersion(bucket, key));

/** Keys are in the order of their UTF-8 bytes. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function pageOf(allKeys: readonly string[], input: ListInput, after: string | undefined): Page {
  const limit = Math.min(input.MaxKeys ?? maxPage, maxPage);
  const { Prefix: prefix = '', Delimiter: delimiter = '' } = input;
  const keys: string[] = [];
  const prefixes: string[] = [];
  let last = '';
  const wanted = allKeys.filter((key) => key.startsWith(prefix)).sort(byBytes);
  for (const key of wanted) {
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const shown = at < 0 ? key : key.slice(0, at + delimiter.length);
    if (shown === last || (after !== undefined && byBytes(shown, after) <= 0)) continue;
    if (keys.length + prefixes.length >= limit) return { keys, prefixes, last, truncated: limit > 0 };
    (at < 0 ? keys : prefixes).push(shown);
    last = shown;
  }
  return { keys, prefixes, last, truncated: false };
}

const toToken = (key: string) => Buffer.from(key).toString('base64');

const fromToken = (token: string | undefined) =>
  token === undefined ? undefined : Buffer.from(token, 'base64').toString();

/** With `EncodingType: url` keys are encoded in the response, as XML cannot hold every character (API Reference, ListObjectsV2). */
const encoded = ({ EncodingType }: ListInput, text: string) =>
  EncodingType === 'url' ? encodeURIComponent(text).replaceAll('%2F', '/') : text;

const described = (input: ListInput, page: Page) => ({
  Name: input.Bucket,
  Prefix: encoded(input, input.Prefix ?? ''),
  Delimiter: input.Delimiter && encoded(input, input.Delimiter),
  EncodingType: input.EncodingType,
  MaxKeys: input.MaxKeys ?? maxPage,
  IsTruncated: page.truncated,
  CommonPrefixes: page.prefixes.map((prefix) => ({ Prefix: encoded(input, prefix) })),
});

const entry = (version: ObjectVersion, Key: string) => ({
  Key,
  LastModified: new Date(version.lastModified),
  ETag: version.etag,
  Size: version.body.length,
  StorageClass: 'STANDARD',
});

const versionEntries = (bucket: Bucket, key: string, Key: string) =>
  (bucket.objects.get(key) ?? []).map((version, i) => {
    const which = { VersionId: version.versionId, IsLatest: i === 0 };
    const marker = { Key, LastModified: new Date(version.lastModified), ...which };
    return { deleteMarker: version.deleteMarker, described: { ...entry(version, Key), ...which }, marker };
  });
