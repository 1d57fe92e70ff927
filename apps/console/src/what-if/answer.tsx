import type { WhatIfAnswer, WhatIfFigures } from '@drover/observation/api';
import { useContext } from 'preact/hooks';
import { Changeable, ReadOnly, useControl } from '../controls.ts';
import { clockTime, waitText } from '../words.ts';

/** Which configuration is the cheapest that is good enough, the figures of all, and the pictures. */
export function Answer({ id, answer }: { readonly id: number; readonly answer: WhatIfAnswer }) {
  const { figures, jobs, from, to, prices, hosted, currency, waitsThen } = answer;
  const byCost = figures.toSorted((a, b) => a.cost - b.cost);
  return (
    <>
      <Verdict answer={answer} />
      <p class="note">
        {jobs} jobs from {clockTime(from)} to {clockTime(to)}. Cost is instances and volumes at prices of {prices}
        {hosted === undefined ? '' : `; on GitHub-hosted runners (${hosted.runner}) ${money(hosted.total, currency)}`}.
        {waitsThen === undefined ? '' : ` When they really ran, 95 of 100 waited at most ${waitText(waitsThen.p95)}.`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="scroll" tabIndex={0} aria-label="Figures of each configuration">
        <table>
          <thead>
            <tr>
              {[
                'Configuration',
                'Wait p50',
                'p95',
                'p99',
                'Lost',
                'Peak',
                'Runner-hours',
                'Idle',
                `Cost, ${currency}`,
              ].map((title) => (
                <th scope="col" key={title}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {byCost.map((one) => (
              <Row figures={one} answer={answer} key={one.name} />
            ))}
          </tbody>
        </table>
      </section>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="scroll picture" tabIndex={0} aria-label="Pictures">
        <img
          src={`/api/what-if/${id}/picture.svg`}
          alt="Waits and costs of each configuration, wait against cost with the line of those that no other beats in both, and queue and capacity over time"
        />
      </section>
      <p>
        <a href={`/api/what-if/${id}/picture.svg`} target="_blank" rel="noreferrer">
          Open the picture alone
        </a>
      </p>
    </>
  );
}

/** The result in a sentence, and a way to follow it. */
function Verdict({ answer }: { readonly answer: WhatIfAnswer }) {
  const { figures, cheapest, deployed, maxWaitSeconds, currency } = answer;
  const best = figures.find(({ name }) => name === cheapest);
  const now = figures.find(({ name }) => name === deployed);
  if (best === undefined)
    return (
      <p class="answer bad">
        None keeps the p95 wait within {waitText(maxWaitSeconds)}. Try a larger maximum or idle target.
      </p>
    );
  return (
    <div class="answer good">
      <p>
        <strong>{best.name}</strong> is the cheapest with a p95 wait of at most {waitText(maxWaitSeconds)}: p95{' '}
        {waitText(best.waitSeconds.p95)}, {money(best.cost, currency)}.{' '}
        {now === undefined || now === best
          ? now === best && 'That is what is deployed.'
          : `Deployed is ${now.name}: p95 ${waitText(now.waitSeconds.p95)}, ${money(now.cost, currency)}.`}
      </p>
      {now !== best && <DeployThese figures={best} />}
    </div>
  );
}

/** Of a world whose stack can be updated from here. */
function DeployThese({ figures: { inputs } }: { readonly figures: WhatIfFigures }) {
  const send = useControl();
  const readOnly = useContext(ReadOnly);
  const before = useContext(Changeable);
  if (readOnly || before === undefined) return null;
  const { idleTarget, maxSize, mode } = before;
  return (
    <button
      type="button"
      onClick={() =>
        send(['change-inputs', inputs], 'The stack is being updated.', ['change-inputs', { idleTarget, maxSize, mode }])
      }
    >
      Deploy these inputs
    </button>
  );
}

function Row({ figures, answer }: { readonly figures: WhatIfFigures; readonly answer: WhatIfAnswer }) {
  const { name, waitSeconds, lost, unfinished, peakRunners, runnerHours, idleShare, cost, onFront } = figures;
  return (
    <tr class={name === answer.cheapest ? 'chosen' : undefined}>
      <th scope="row">
        {name}
        {name === answer.cheapest && <span class="tag good">cheapest</span>}
        {name === answer.deployed && <span class="tag">deployed</span>}
        {onFront && (
          <span class="tag" title="No other is better in both wait and cost.">
            not beaten
          </span>
        )}
      </th>
      <td>{waitText(waitSeconds.p50)}</td>
      <td>{waitText(waitSeconds.p95)}</td>
      <td>{waitText(waitSeconds.p99)}</td>
      <td>{unfinished === 0 ? lost : `${lost}, ${unfinished} not ended`}</td>
      <td>{peakRunners}</td>
      <td>{runnerHours.toFixed(1)}</td>
      <td>{Math.round(idleShare * 100)} %</td>
      <td>{cost.toFixed(2)}</td>
    </tr>
  );
}

const money = (value: number, currency: string): string => `${value.toFixed(2)} ${currency}`;
