import type { WhatIfRun } from '@drover/observation/api';
import { useState } from 'preact/hooks';
import { NumberField } from '../tools/number-field.tsx';
import { counted } from '../words.ts';
import { countOf, type Deployed, firstValues, type Mode, mostHours, type Trace, useQuestion } from './question.ts';
import { askQuestion } from './use-what-if.ts';

interface QuestionProps {
  readonly deployed: Deployed;
  readonly asked: (run: WhatIfRun) => void;
}

const modeWords: readonly (readonly [Mode, string])[] = [
  ['idle', 'Scale on idle runners'],
  ['jobs', 'Scale on waiting jobs'],
];

/** Values to try, the jobs to try them on, and the longest wait that is acceptable. */
export function QuestionForm({ deployed, asked }: QuestionProps) {
  const { text, types } = deployed;
  const [question, change] = useQuestion(deployed);
  const { idleTarget, maxSize, mode } = types?.[question.type ?? ''] ?? deployed;
  const { modes, trace, file } = question;
  const [problem, setProblem] = useState<string | undefined>();
  const send = async () => {
    const answer = await askQuestion(question);
    if (typeof answer === 'string') return setProblem(answer);
    asked(answer);
  };
  return (
    <form
      class="question"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {types !== undefined && (
        <label>
          Type{' '}
          <select
            value={question.type}
            onChange={({ currentTarget: { value } }) =>
              change({ type: value, ...firstValues(types[value] ?? deployed) })
            }
          >
            {Object.keys(types).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <TextField label="Idle targets" value={question.idleTargets} set={(idleTargets) => change({ idleTargets })} />
      <TextField label="Maximum sizes" value={question.maxSizes} set={(maxSizes) => change({ maxSizes })} />
      {modeWords.map(([name, words]) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={modes.includes(name)}
            onChange={({ currentTarget }) =>
              change({ modes: currentTarget.checked ? [...modes, name] : modes.filter((one) => one !== name) })
            }
          />{' '}
          {words}
        </label>
      ))}
      <label>
        Jobs of{' '}
        <select value={trace} onChange={({ currentTarget }) => change({ trace: currentTarget.value as Trace })}>
          <option value="week">a sample week</option>
          <option value="burst">a sample day of bursts</option>
          <option value="history">my own history</option>
        </select>
      </label>
      {trace === 'history' && (
        <label>
          History file{' '}
          <input
            type="file"
            accept=".json,.ndjson,.csv,.txt"
            onChange={({ currentTarget }) => change({ file: currentTarget.files?.[0] })}
          />
        </label>
      )}
      {trace === 'history' && file !== undefined && <span class="note">{file.name} is taken.</span>}
      <NumberField
        label="First hours"
        min={1}
        max={mostHours}
        value={question.hours}
        set={(hours) => change({ hours })}
      />
      <NumberField
        label="Acceptable p95 wait, seconds"
        min={1}
        max={86_400}
        value={question.maxWait}
        set={(maxWait) => change({ maxWait })}
      />
      <button type="submit" class="primary">
        Replay {counted(countOf(question), 'configuration')}
      </button>
      {problem !== undefined && (
        <p class="trouble" role="alert">
          Not done: {problem}
        </p>
      )}
      <details>
        <summary>
          Deployed: {mode} mode, idle target {idleTarget}, max {maxSize}
        </summary>
        <pre>{text}</pre>
        <p class="note">
          A history is what GitHub lists: the jobs of runs as JSON, or a CSV of queued_at,duration_seconds,labels.
        </p>
      </details>
    </form>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
}

const TextField = ({ label, value, set }: TextFieldProps) => (
  <label>
    {label}{' '}
    <input type="text" inputMode="numeric" value={value} onInput={({ currentTarget }) => set(currentTarget.value)} />
  </label>
);
