import { DroverError, TransientError } from '@drover/core';

/** Makes the handler of a function from its surroundings. */
type Make<Surroundings> = (surroundings: Surroundings) => (event: unknown) => Promise<void>;

/** Lambda shows the name and the message of an error and nothing else of it: what to do about it goes into the message. */
export function failingInFull<Surroundings>(make: Make<Surroundings>): Make<Surroundings> {
  return (surroundings) => {
    const handle = made(make, surroundings);
    return async (event) => {
      try {
        await handle(event);
      } catch (error) {
        throw inFull(error);
      }
    };
  };
}

function made<Surroundings>(make: Make<Surroundings>, surroundings: Surroundings): ReturnType<Make<Surroundings>> {
  try {
    return make(surroundings);
  } catch (error) {
    throw inFull(error);
  }
}

/** Minified classes have no names of their own, so that an error is given one that says whether trying again can help. */
function inFull(error: unknown): unknown {
  if (!(error instanceof DroverError)) return error;
  const words = error.remedy === undefined ? error.message : `${error.message}. What to do: ${error.remedy}`;
  const name = error instanceof TransientError ? 'TransientError' : 'TerminalError';
  return Object.assign(new Error(words, { cause: error }), { name });
}
