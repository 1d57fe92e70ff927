/** The longest wait of a command. */
export const waitUntilComplete = (seconds: number, summary = 'longest wait') =>
  ({ name: 'wait-until-complete', value: 'SECONDS', kind: 'seconds', default: seconds, summary }) as const;
