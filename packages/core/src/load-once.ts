/**
 * Something that is loaded at the first call and kept. Later calls do not go through the loader of modules, which takes real
 * time even for what it has: a simulation that has loaded once moves in steps of its own clock only. A failure is not kept:
 * the next call tries again. `anew`: it is loaded again.
 */
export function loadOnce<T>(load: () => Promise<T>): (anew?: boolean) => Promise<T> {
  let loading: Promise<T> | undefined;
  return (anew = false) => {
    if (anew) loading = undefined;
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
