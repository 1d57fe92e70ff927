import type { Attention, Observation } from '@drover/observation/api';
import { onlyWhenChanged } from '../only-when-changed.tsx';
import { counted } from '../words.ts';
import { Age } from './age.tsx';

/** Of an account, for who comes in the morning: what needs attention, and what the last day has cost. */
export function Morning({ state }: { readonly state: Observation }) {
  if (state.attention === undefined) return null;
  const { findings, well } = state.attention;
  const problems = findings.filter(({ verdict }) => verdict === 'problem');
  return (
    <section class={`morning${problems.length > 0 ? ' bad' : ''}`} aria-labelledby="morning-title">
      <h3 id="morning-title">
        {findings.length + well === 0
          ? 'What needs attention'
          : problems.length === 0
            ? 'Nothing needs attention'
            : `${counted(problems.length, 'thing needs', 'things need')} attention`}{' '}
        <Age state={state} of="doctor" always />
      </h3>
      <Findings findings={problems} />
      <Others findings={findings.filter(({ verdict }) => verdict !== 'problem')} well={well} />
      <CostLine state={state} />
    </section>
  );
}

type Shown = { readonly findings: Attention['findings'] };

const Findings = onlyWhenChanged(({ findings }: Shown) => (
  <ul class="findings">
    {findings.map(({ subject, check, verdict, condition, evidence, fix }) => (
      <li class={verdict} key={`${subject} ${check}`}>
        <strong>
          {subject}: {condition}
        </strong>{' '}
        <span>{evidence}</span>
        {fix !== undefined && <span class="fix">{fix}</span>}
      </li>
    ))}
  </ul>
));

/** Folded: notices, and what could not be examined. */
function Others({ findings, well }: Shown & { readonly well: number }) {
  if (findings.length === 0) return well === 0 ? null : <p class="note">{counted(well, 'check')} well</p>;
  const notices = findings.filter(({ verdict }) => verdict === 'notice').length;
  const dark = findings.length - notices;
  const words = [
    ...(notices === 0 ? [] : [counted(notices, 'notice')]),
    ...(dark === 0 ? [] : [`${counted(dark, 'check')} could not be made`]),
    `${counted(well, 'check')} well`,
  ];
  return (
    <details>
      <summary>{words.join(', ')}</summary>
      <Findings findings={findings} />
    </details>
  );
}

function CostLine({ state }: { readonly state: Observation }) {
  const { cost, unknown } = state;
  if (unknown.fleet !== undefined) return null;
  return (
    <p>
      {cost === undefined ? (
        'Cost since yesterday: '
      ) : (
        <>
          <strong>
            {cost.total.toFixed(2)} {cost.currency}
          </strong>{' '}
          since yesterday: {counted(cost.instances, 'instance')}, {cost.runnerHours.toFixed(1)} hours,{' '}
          {counted(cost.jobs, 'job')} (an estimate){' '}
        </>
      )}
      <Age state={state} of="cost" />
    </p>
  );
}
