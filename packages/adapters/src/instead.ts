/** For `catch`: the value that stands for failures that are none; every other failure stays one. */
export const instead =
  <const T>(isNone: (error: unknown) => boolean, value: T) =>
  (error: unknown): T => {
    if (isNone(error)) return value;
    throw error;
  };
