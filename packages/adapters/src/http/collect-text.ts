/** Everything that a body holds, as text. */
export async function collectText(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
