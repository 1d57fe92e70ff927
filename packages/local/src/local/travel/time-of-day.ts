/** Of a simulated moment, as it is printed on the terminal. */
export const timeOfDay = (at: number): string => new Date(at).toISOString().slice(11, 19);
