import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';

/** An entry of `write_files`; its content may be compressed (cloud-init, "Write Files", `encoding`). */
export interface WriteFile {
  readonly path: string;
  readonly content: string;
  readonly encoding?: string;
}

interface WrittenFile {
  readonly path: string;
  readonly content: string;
}

/** A file as cloud-init writes it. */
export function writtenFile({ path, content, encoding }: WriteFile): WrittenFile {
  if (encoding === undefined) return { path, content };
  if (encoding !== 'gz+b64') throw new Error(`cloud-init: the encoding ${encoding} of ${path} is not modelled`);
  return { path, content: gunzipSync(Buffer.from(content, 'base64')).toString('utf8') };
}

/** All instances of a group boot with the same document: it is read once. */
let newest: { readonly userData: string; readonly files: readonly WrittenFile[] } | undefined;

/** The files that cloud-init writes for this user data. */
export function writtenFiles(userData: string): readonly WrittenFile[] {
  if (newest?.userData !== userData) {
    const document = parse(userData, { version: '1.1' }) as { readonly write_files?: readonly WriteFile[] } | null;
    newest = { userData, files: (document?.write_files ?? []).map(writtenFile) };
  }
  return newest.files;
}
