/** Every page of a list, up to a limit: a list that never ends must not hold its reader for ever. */
export async function* pages<Page extends { readonly NextToken?: string | undefined }>(
  ask: (next: { readonly NextToken?: string }) => Promise<Page>,
  most: number,
): AsyncGenerator<Page> {
  let next: { readonly NextToken?: string } = {};
  for (let count = 0; count < most; count++) {
    const page = await ask(next);
    yield page;
    if (page.NextToken === undefined) return;
    next = { NextToken: page.NextToken };
  }
}
