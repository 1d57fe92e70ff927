import type { Observation } from '@drover/observation/api';
import { Offered } from '../tools/offered.tsx';
import { aboutFunctions, groundOffers } from '../tools/offers.ts';
import { timeOfDay } from '../words.ts';

/** The functions and their last runs, and how to stop them all. */
export const Functions = ({ state }: { readonly state: Observation }) => (
  <section class="view" aria-labelledby="functions-title">
    <h2 id="functions-title">Functions</h2>
    {state.unknown.tools === undefined && (
      <Offered offers={groundOffers(state).faults.filter(({ about }) => about === aboutFunctions)} />
    )}
    <table>
      <thead>
        <tr>
          <th scope="col">Function</th>
          <th scope="col">Runs</th>
          <th scope="col">Errors</th>
          <th scope="col">Last runs</th>
        </tr>
      </thead>
      <tbody>
        {state.functions.map(({ name, runs, errors, last }) => (
          <tr class={last[0]?.ok === false ? 'trouble' : undefined} key={name}>
            <td>{name}</td>
            <td>{runs}</td>
            <td>{errors}</td>
            <td>
              {last.map(({ at, ok, text }, index) => (
                <span class={ok ? 'run good' : 'run bad'} key={`${at} ${index}`}>
                  {timeOfDay(at)} {text}
                </span>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
