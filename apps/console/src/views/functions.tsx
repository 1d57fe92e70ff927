import type { FunctionState, Observation } from '@drover/observation/api';
import { Offered } from '../tools/offered.tsx';
import { aboutFunctions, groundOffers } from '../tools/offers.ts';
import { counted, timeOfDay } from '../words.ts';
import { Age } from './age.tsx';

/** The functions and their last runs, and how to stop them all. */
export const Functions = ({ state }: { readonly state: Observation }) => (
  <section class="view" aria-labelledby="functions-title">
    <h2 id="functions-title">
      Functions <Age state={state} of="function logs" />
    </h2>
    {state.unknown.tools === undefined && (
      <Offered offers={groundOffers(state).faults.filter(({ about }) => about === aboutFunctions)} />
    )}
    <table class="listed">
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
            <td class="title">{name}</td>
            <td data-label="runs">{runs}</td>
            <td data-label="errors">{errors}</td>
            <td>
              <Runs last={last} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

/** Those that went well are one line. */
const Runs = ({ last }: Pick<FunctionState, 'last'>) => {
  const newest = last.find(({ ok }) => ok);
  const well = last.filter(({ ok }) => ok).length;
  return (
    <>
      {last.map(({ at, ok, text }, index) =>
        ok ? null : (
          <span class="run bad" key={`${at} ${index}`}>
            {timeOfDay(at)} {text}
          </span>
        ),
      )}
      {newest !== undefined && (
        <span class="run good">
          {timeOfDay(newest.at)} {newest.text}
          {well > 1 ? `, like ${counted(well - 1, 'other')} of the last ${last.length}` : ''}
        </span>
      )}
    </>
  );
};
