import { useId, useState } from 'react'
import { findText, t } from '../../language/language.ts'
import { usePermissions } from '../../shell/use-me.ts'
import {
  dimensionsOf,
  measures,
  subjects,
  timeUnits,
  type UsageSearch,
  type UsageSearchProps,
  usageSpans,
} from './usage-search.ts'

/** The controls of a report: its span, its dimensions and its measure. */
export function UsageChoices({ search, onChange }: UsageSearchProps) {
  const { measure = 'cost', span = '30d' } = search
  const [by = 'day', and = 'none'] = dimensionsOf(search)
  return (
    <div className="mb-3 flex flex-wrap items-end gap-2">
      <Choice
        label={t('usage.span')}
        value={span}
        choices={usageSpans.map((each) => [each, t(`usage.span.${each}`)])}
        onChange={(next) => onChange({ span: usageSpans.find((each) => each === next) })}
      />
      {span === 'custom' && <Days search={search} onChange={onChange} />}
      <Choice
        label={t('usage.by')}
        value={by}
        choices={useDimensions(by)}
        onChange={(next) => onChange({ by: next, and: undefined })}
      />
      <Choice
        label={t('usage.then')}
        value={and}
        choices={[['none', t('usage.then.none')], ...useDimensions(and).filter(([each]) => each !== by)]}
        onChange={(next) => onChange({ by, and: next })}
      />
      <Choice
        label={t('usage.measure')}
        value={measure}
        choices={measures.map((each) => [each, t(`usage.measure.${each}`)])}
        onChange={(next) => onChange({ measure: measures.find((each) => each === next) })}
      />
    </div>
  )
}

type Pair = readonly [value: string, label: string]

/** The dimensions on offer. A tag in the address is among them. Members see neither channels nor upstream models. */
function useDimensions(chosen: string): readonly Pair[] {
  const { seesAll } = usePermissions()
  const offered = seesAll
    ? subjects
    : subjects.filter((each) => each !== 'channel' && each !== 'upstream_model')
  const known = [...timeUnits, ...offered]
  const isKnown = chosen === 'none' || known.some((each) => each === chosen)
  return [...known, ...(isKnown ? [] : [chosen]), ...(chosen.startsWith('tag:') ? [] : ['tag:team'])].map(
    (each) => [each, nameDimension(each)],
  )
}

export function nameDimension(dimension: string): string {
  if (dimension.startsWith('tag:')) return t('usage.by.tag', { name: dimension.slice('tag:'.length) })
  return findText(`usage.by.${dimension}`) ?? dimension
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly Pair[]
  readonly onChange: (value: string) => void
}

function Choice({ label, value, choices, onChange }: ChoiceProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-0.5 block text-xs text-muted">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="input-frame max-w-44 pr-7"
      >
        {choices.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

function Days({ search, onChange }: UsageSearchProps) {
  const fields = ['since', 'until'] as const
  return fields.map((field) => (
    <Day
      key={field}
      label={t(`usage.${field}`)}
      value={search[field]}
      onChange={(day) => onChange({ [field]: day })}
    />
  ))
}

interface DayProps {
  readonly label: string
  readonly value: UsageSearch['since']
  readonly onChange: (day: string | undefined) => void
}

/** The year 20 on the way to 2026 is a date as well, but not one of a report. */
const FIRST_DAY = '1970-01-01'

/**
 * A day. What is typed stays in the field while the address follows: a value that is set from outside would end the
 * year after its first digit.
 */
function Day({ label, value, onChange }: DayProps) {
  const id = useId()
  const [typed, setTyped] = useState(value ?? '')
  const [applied, setApplied] = useState(value)
  if (applied !== value) {
    setApplied(value)
    setTyped(value ?? '')
  }
  const change = (day: string) => {
    setTyped(day)
    if (day === '' || day >= FIRST_DAY) onChange(day === '' ? undefined : day)
  }
  return (
    <div>
      <label htmlFor={id} className="mb-0.5 block text-xs text-muted">
        {label}
      </label>
      <input
        id={id}
        type="date"
        value={typed}
        onChange={(event) => change(event.target.value)}
        className="input-frame"
      />
    </div>
  )
}
