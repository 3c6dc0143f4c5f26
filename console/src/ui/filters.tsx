import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { t } from '../language/language.ts'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'

/** The delay between the last typed letter and applying the filter. */
const TYPING_MS = 300

interface FilterTextProps {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
  readonly suggestions?: readonly string[]
  /** Whether the shortcut `/` focuses this field. */
  readonly isSearch?: boolean
  readonly className?: string
}

/** A text filter. It is applied when typing pauses. */
export function FilterText({
  label,
  value,
  onChange,
  suggestions = [],
  isSearch = false,
  className,
}: FilterTextProps) {
  const [typed, setTyped] = useState(value ?? '')
  const applied = useRef(value ?? '')
  const list = useId()
  useEffect(() => {
    if ((value ?? '') !== applied.current) setTyped(value ?? '')
    applied.current = value ?? ''
  }, [value])
  useEffect(() => {
    if (typed === applied.current) return
    const timer = setTimeout(() => {
      applied.current = typed
      onChange(typed === '' ? undefined : typed)
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, onChange])
  return (
    <div className={classNames('relative', className ?? 'w-40')}>
      {isSearch && (
        <Icon name="search" className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-muted" />
      )}
      <input
        aria-label={label}
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        {...(isSearch && { 'data-search': '' })}
        list={suggestions.length === 0 ? undefined : list}
        autoComplete="off"
        spellCheck={false}
        className={classNames('input-frame w-full', isSearch && 'pl-8')}
      />
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map((text) => (
            <option key={text} value={text} />
          ))}
        </datalist>
      )}
    </div>
  )
}

interface FilterSelectProps<Value extends string> {
  readonly label: string
  readonly value: Value | undefined
  readonly choices: readonly (readonly [value: Value, label: string])[]
  readonly onChange: (value: Value | undefined) => void
}

export function FilterSelect<Value extends string>({
  label,
  value,
  choices,
  onChange,
}: FilterSelectProps<Value>) {
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onChange(choices.find(([each]) => each === event.target.value)?.[0])}
      className={classNames(
        'input-frame max-w-44 pr-7',
        value !== undefined && 'border-accent bg-accent-soft text-accent',
      )}
    >
      <option value="">{label}</option>
      {choices.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  )
}

interface FilterBarProps {
  /** The number of active filters. */
  readonly active: number
  readonly onClear: () => void
  /** The filter that is always visible, on small screens too. */
  readonly first: ReactNode
  readonly children?: ReactNode
  readonly end?: ReactNode
}

/** Filters in a row. On small screens all but the first are collapsed. */
export function FilterBar({ active, onClear, first, children, end }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2" aria-label={t('filter.label')}>
      {first}
      {children !== undefined && (
        <Button
          icon="filter"
          className="sm:hidden"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          {t('filter.more')}
        </Button>
      )}
      <div
        id={id}
        className={classNames('flex-wrap items-center gap-2 sm:contents', isOpen ? 'flex' : 'hidden')}
      >
        {children}
      </div>
      {active > 0 && (
        <Button variant="quiet" icon="close" onClick={onClear}>
          {t('filter.clear', { count: active })}
        </Button>
      )}
      {end !== undefined && <div className="ml-auto flex items-center gap-2">{end}</div>}
    </search>
  )
}
