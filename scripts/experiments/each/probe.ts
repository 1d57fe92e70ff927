/** A job for runners with the labels that the run is given, which no runner carries out. */
export const probe = [
  '  probe:',
  `    name: 'probe \${{ inputs.id }}'`,
  `    runs-on: '\${{ fromJSON(inputs.runs_on) }}'`,
  '    timeout-minutes: 5',
  '    steps: [{ run: echo probe }]',
].join('\n');
