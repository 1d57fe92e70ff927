import type { Observation } from '@drover/observation/api';
import { span } from '../words.ts';

/** Of an account: that this page only reads, how old each part of it is, and what could not be read. */
export function Readings({ state }: { readonly state: Observation }) {
  const { readings, clock, unknown } = state;
  return (
    <section aria-labelledby="readings-title">
      <h2 id="readings-title">Read from your account</h2>
      <p>{unknown.tools}</p>
      <table class="readings">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Read</th>
            <th scope="col">Every</th>
          </tr>
        </thead>
        <tbody>
          {readings.map(({ what, readAt, everyMs, problem }) => (
            <tr class={problem === undefined ? undefined : 'trouble'} key={what}>
              <td>
                {what}
                {problem === undefined ? '' : `: ${problem}`}
              </td>
              <td>{readAt === undefined ? 'not yet' : `${span(clock.now - readAt)} ago`}</td>
              <td>{span(everyMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
