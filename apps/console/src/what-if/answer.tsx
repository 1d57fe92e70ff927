import type { WhatIfFigures, WhatIfInputs, WhatIfReport, WhatIfRun } from '@drover/observation/api';
import { useContext, useState } from 'preact/hooks';
import { Changeable, ReadOnly, useControl } from '../controls.ts';
import { clockTime, waitText } from '../words.ts';
import { takeOver } from './question.ts';
import { askQuestion } from './use-what-if.ts';
import { widerThan } from './wider.ts';

interface Answered {
  readonly run: WhatIfRun;
  readonly report: WhatIfReport;
}

interface AnswerProps extends Answered {
  readonly asked: (run: WhatIfRun) => void;
}

/** Which configuration is the cheapest that is good enough, the figures of all, and the picture. */
export function Answer({ run, report, asked }: AnswerProps) {
  const { trace, prices, hosted, configurations } = report;
  const { currency, region, date } = prices;
  const { jobs, waitSeconds: waitsThen } = trace;
  const [from, to] = [Date.parse(trace.from), Date.parse(trace.to)];
  const byCost = configurations.toSorted((a, b) => a.cost.total - b.cost.total);
  const picture = `/api/what-if/${run.id}/picture.svg`;
  return (
    <>
      <Verdict run={run} report={report} asked={asked} />
      {report.because?.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <p class="note">
        {jobs} jobs from {clockTime(from)} to {clockTime(to)}. Cost is instances and volumes at prices of {region},{' '}
        {date}
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
              <Row figures={one} run={run} report={report} key={one.name} />
            ))}
          </tbody>
        </table>
      </section>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="scroll picture" tabIndex={0} aria-label="Picture">
        <img src={picture} alt="Queue, capacity and cost of each configuration over time" />
      </section>
      <p>
        <a href={picture} target="_blank" rel="noreferrer">
          Open the picture alone
        </a>
      </p>
    </>
  );
}

/** The result in a sentence, and a way to follow it. */
function Verdict({ run, report, asked }: AnswerProps) {
  const { configurations, deployed, maxWaitSeconds } = run;
  const named = (wanted: string | null | undefined) => report.configurations.find(({ name }) => name === wanted);
  const said = ({ waitSeconds, cost }: WhatIfFigures) =>
    `p95 ${waitText(waitSeconds.p95)}, ${money(cost.total, report.prices.currency)}`;
  const [best, now] = [named(report.cheapest), named(deployed)];
  if (best === undefined)
    return (
      <div class="answer bad">
        <p>None keeps the p95 wait within {waitText(maxWaitSeconds)}. Try a larger maximum or idle target.</p>
        <TryWider run={run} report={report} asked={asked} />
      </div>
    );
  return (
    <div class="answer good">
      <p>
        <strong>{best.name}</strong> is the cheapest with a p95 wait of at most {waitText(maxWaitSeconds)}: {said(best)}
        . {now === best && 'That is what is deployed.'}
        {now !== undefined && now !== best && `Deployed is ${now.name}: ${said(now)}.`}
      </p>
      {now !== best && <DeployThese inputs={configurations[best.name]!} />}
    </div>
  );
}

/** Asks the next question, with the value that the result leads to. */
function TryWider({ run, report, asked }: AnswerProps) {
  const [problem, setProblem] = useState<string | undefined>();
  const wider = widerThan(run, report);
  if (wider === undefined) return null;
  const send = async () => {
    const answer = await askQuestion(takeOver(wider.question));
    if (typeof answer === 'string') setProblem(answer);
    else asked(answer);
  };
  return (
    <>
      <button type="button" onClick={() => void send()}>
        Try {wider.words}
      </button>
      {problem !== undefined && (
        <p class="trouble" role="alert">
          Not done: {problem}
        </p>
      )}
    </>
  );
}

/** Of a world whose stack can be updated from here. */
function DeployThese({ inputs }: { readonly inputs: WhatIfInputs }) {
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

function Row({ figures, run, report }: Answered & { readonly figures: WhatIfFigures }) {
  const { name, waitSeconds, jobs, peakRunners, runnerHours, idleShare, cost } = figures;
  return (
    <tr class={name === report.cheapest ? 'chosen' : undefined}>
      <th scope="row">
        {name}
        {name === report.cheapest && <span class="tag good">cheapest</span>}
        {name === run.deployed && <span class="tag">deployed</span>}
        {report.paretoFront.includes(name) && (
          <span class="tag" title="No other is better in both wait and cost.">
            not beaten
          </span>
        )}
      </th>
      <td>{waitText(waitSeconds.p50)}</td>
      <td>{waitText(waitSeconds.p95)}</td>
      <td>{waitText(waitSeconds.p99)}</td>
      <td>{jobs.unfinished === 0 ? jobs.lost : `${jobs.lost}, ${jobs.unfinished} not ended`}</td>
      <td>{peakRunners}</td>
      <td>{runnerHours.total.toFixed(1)}</td>
      <td>{Math.round(idleShare * 100)} %</td>
      <td>{cost.total.toFixed(2)}</td>
    </tr>
  );
}

const money = (value: number, currency: string): string => `${value.toFixed(2)} ${currency}`;
