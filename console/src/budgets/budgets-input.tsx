import { useId, useRef, useState } from 'react'
import type { Binding } from '../forms/use-form.ts'
import { t } from '../language/language.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { type BudgetDraft, modes, newBudget, windows } from './budget-drafts.ts'

interface BudgetsInputProps {
  readonly field: Binding<readonly BudgetDraft[]>
  /** The error messages, by the path of the field within the list. */
  readonly errors: Readonly<Record<string, string>>
}

/** A list of budgets, each with its limit, its window and its mode. */
export function BudgetsInput({ field: { name, value, onChange }, errors }: BudgetsInputProps) {
  const [added, setAdded] = useState<number>()
  const addButton = useRef<HTMLButtonElement>(null)
  // The button of the removed budget is gone, or is that of another budget by then.
  const remove = (index: number) => {
    addButton.current?.focus()
    onChange(value.toSpliced(index, 1))
  }
  const add = () => {
    setAdded(value.length)
    onChange([...value, newBudget])
  }
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1 font-medium">{t('budget.list')}</legend>
      {value.length === 0 && <p className="text-muted">{t('budget.list.none')}</p>}
      {value.map((draft, index) => (
        <BudgetRow
          // biome-ignore lint/suspicious/noArrayIndexKey: budgets have no other name while they are typed.
          key={index}
          draft={draft}
          isNew={index === added}
          error={
            errors[`${name}.${index}.limit`] ??
            errors[`${name}.${index}`] ??
            errors[`${name}.${index}.limit_usd`]
          }
          onChange={(next) => onChange(value.with(index, next))}
          onRemove={() => remove(index)}
        />
      ))}
      {errors[name] !== undefined && <p className="text-bad">{errors[name]}</p>}
      <Button ref={addButton} isSmall icon="plus" onClick={add}>
        {t('budget.add')}
      </Button>
    </fieldset>
  )
}

interface BudgetRowProps {
  readonly draft: BudgetDraft
  /** Whether the budget was just added, so that its limit gets the focus. */
  readonly isNew: boolean
  readonly error: string | undefined
  readonly onChange: (draft: BudgetDraft) => void
  readonly onRemove: () => void
}

function BudgetRow({ draft, isNew, error, onChange, onRemove }: BudgetRowProps) {
  const errorId = useId()
  const windowNames: readonly string[] = windows
  const offered = windowNames.includes(draft.window) ? windowNames : [draft.window, ...windowNames]
  return (
    <div>
      <div className="grid grid-cols-[1fr_1fr_auto] items-center gap-2 sm:flex sm:flex-wrap">
        <LimitInput
          draft={draft}
          isNew={isNew}
          errorId={error === undefined ? undefined : errorId}
          onChange={onChange}
        />
        <select
          aria-label={t('budget.window')}
          value={draft.window}
          onChange={(event) => onChange({ ...draft, window: event.target.value })}
          className="input-frame"
        >
          {offered.map((window) => (
            <option key={window} value={window}>
              {nameWindow(window)}
            </option>
          ))}
        </select>
        <ModeSelect mode={draft.mode} onChange={(mode) => onChange({ ...draft, mode })} />
        <IconButton icon="trash" label={t('budget.remove')} onClick={onRemove} />
      </div>
      <p className="mt-1 text-[0.8125rem] text-muted">{t(`budget.mode.${draft.mode}.why`)}</p>
      {error !== undefined && (
        <p id={errorId} className="mt-1 text-bad">
          {error}
        </p>
      )}
    </div>
  )
}

interface LimitInputProps extends Pick<BudgetRowProps, 'draft' | 'isNew' | 'onChange'> {
  /** The ID of the element with the error message. */
  readonly errorId: string | undefined
}

function LimitInput({ draft, isNew, errorId, onChange }: LimitInputProps) {
  return (
    <div className="relative min-w-24 flex-1 max-sm:col-span-3">
      <span
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 left-3 flex items-center text-muted"
      >
        $
      </span>
      <input
        type="text"
        inputMode="decimal"
        aria-label={t('budget.limit')}
        aria-invalid={errorId === undefined ? undefined : true}
        aria-describedby={errorId}
        value={draft.limit}
        onChange={(event) => onChange({ ...draft, limit: event.target.value })}
        autoComplete="off"
        autoFocus={isNew}
        className="input-frame w-full pl-7 tabular-nums"
      />
    </div>
  )
}

interface ModeSelectProps {
  readonly mode: BudgetDraft['mode']
  readonly onChange: (mode: BudgetDraft['mode']) => void
}

function ModeSelect({ mode, onChange }: ModeSelectProps) {
  return (
    <select
      aria-label={t('budget.mode')}
      value={mode}
      onChange={(event) => onChange(modes.find((each) => each === event.target.value) ?? mode)}
      className="input-frame"
    >
      {modes.map((each) => (
        <option key={each} value={each}>
          {t(`budget.mode.${each}`)}
        </option>
      ))}
    </select>
  )
}

/** A window in words. An unusual window is shown in the syntax of the configuration. */
export function nameWindow(window: string): string {
  const name = windows.find((each) => each === window)
  return name === undefined ? window : t(`budget.window.${name}`)
}
