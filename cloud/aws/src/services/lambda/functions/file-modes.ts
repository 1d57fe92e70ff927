/** "Lambda requires global read permissions on code files" (AWS Knowledge Center, "permission denied" with a deployment package). */
const readableByOthers = 0o004;

/** The host whose attributes are modes of files; zips of others have none, and Lambda gives theirs. (APPNOTE.TXT of PKWARE, 4.4.2.) */
const unix = 3;
const headerSignature = 0x02014b50;
const endSignature = 0x06054b50;
const endBytes = 22;

/**
 * The files of a zip that are not readable by all, by the modes in its central directory (APPNOTE.TXT, 4.3.12 and
 * 4.3.16).
 */
export function unreadableIn(zip: Uint8Array): ReadonlySet<string> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const unreadable = new Set<string>();
  let end = zip.length - endBytes;
  while (end >= 0 && view.getUint32(end, true) !== endSignature) end -= 1;
  if (end < 0) return unreadable;
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0 && view.getUint32(at, true) === headerSignature; left -= 1) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true)) as [
      number,
      number,
      number,
    ];
    const mode = view.getUint16(at + 40, true);
    if (view.getUint8(at + 5) === unix && (mode & readableByOthers) === 0)
      unreadable.add(new TextDecoder().decode(zip.subarray(at + 46, at + 46 + name)));
    at += 46 + name + extra + comment;
  }
  return unreadable;
}
