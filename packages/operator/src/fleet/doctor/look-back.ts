/** How far back the functions' logs and metrics are looked at. */
export const lookBackMs = 30 * 60_000;
