import { useId } from 'react'
import { classNames } from '../ui/class-names.ts'
import { Field, type FieldTexts } from './field.tsx'
import type { Binding } from './use-form.ts'

interface InputProps<Value> extends Omit<FieldTexts, 'error'> {
  readonly field: Binding<Value>
}

export interface TextInputProps extends InputProps<string> {
  readonly type?: 'text' | 'password' | 'url' | 'datetime-local' | 'date'
  readonly autoComplete?: string
  readonly placeholder?: string
  /** Suggestions while the user types. */
  readonly suggestions?: readonly string[]
  readonly isCode?: boolean
  readonly isDisabled?: boolean
  readonly autoFocus?: boolean
}

export function TextInput(props: TextInputProps) {
  const { field, type = 'text', autoComplete = 'off', placeholder, suggestions, isCode, isDisabled } = props
  const list = useId()
  return (
    <Field {...props} error={field.error}>
      {(ties) => (
        <>
          <input
            {...ties}
            type={type}
            name={field.name}
            value={field.value}
            onChange={(event) => field.onChange(event.target.value)}
            autoComplete={autoComplete}
            autoFocus={props.autoFocus}
            placeholder={placeholder}
            disabled={isDisabled}
            spellCheck={false}
            list={suggestions === undefined ? undefined : list}
            className={classNames('input-frame w-full', isCode === true && 'font-mono')}
          />
          {suggestions !== undefined && <Suggestions id={list} texts={suggestions} />}
        </>
      )}
    </Field>
  )
}

export function Suggestions({ id, texts }: { readonly id: string; readonly texts: readonly string[] }) {
  return (
    <datalist id={id}>
      {texts.map((text) => (
        <option key={text} value={text} />
      ))}
    </datalist>
  )
}

interface NumberInputProps extends InputProps<string> {
  /** The unit after the number, such as "USD". */
  readonly unit?: string
  readonly placeholder?: string
}

/** A text input for digits, so that neither wheel nor arrow keys change it by accident. */
export function NumberInput(props: NumberInputProps) {
  const { field, unit, placeholder } = props
  return (
    <Field {...props} error={field.error}>
      {(ties) => (
        <div className="relative">
          <input
            {...ties}
            type="text"
            inputMode="decimal"
            name={field.name}
            value={field.value}
            onChange={(event) => field.onChange(event.target.value)}
            autoComplete="off"
            placeholder={placeholder}
            className={classNames('input-frame w-full tabular-nums', unit !== undefined && 'pr-14')}
          />
          {unit !== undefined && (
            <span
              aria-hidden="true"
              className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-muted"
            >
              {unit}
            </span>
          )}
        </div>
      )}
    </Field>
  )
}

export interface Choice<Value extends string = string> {
  readonly value: Value
  readonly label: string
}

interface SelectInputProps<Value extends string> extends InputProps<Value> {
  readonly choices: readonly Choice<NoInfer<Value>>[]
}

export function SelectInput<Value extends string>(props: SelectInputProps<Value>) {
  const { field, choices } = props
  const choose = (wanted: string) => {
    const chosen = choices.find(({ value }) => value === wanted)
    if (chosen !== undefined) field.onChange(chosen.value)
  }
  return (
    <Field {...props} error={field.error}>
      {(ties) => (
        <select
          {...ties}
          name={field.name}
          value={field.value}
          onChange={(event) => choose(event.target.value)}
          className="input-frame w-full"
        >
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function CheckInput({ field, label, hint }: InputProps<boolean>) {
  const id = useId()
  const hintId = hint === undefined ? undefined : `${id}-hint`
  const errorId = field.error === undefined ? undefined : `${id}-error`
  const described = [errorId, hintId].filter((each) => each !== undefined).join(' ')
  return (
    <div className="flex items-start gap-2.5">
      <input
        id={id}
        type="checkbox"
        name={field.name}
        checked={field.value}
        onChange={(event) => field.onChange(event.target.checked)}
        aria-describedby={described === '' ? undefined : described}
        aria-invalid={field.error === undefined ? undefined : true}
        className="mt-0.5 size-4.5 shrink-0 accent-accent-solid"
      />
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {field.error !== undefined && (
          <p id={errorId} className="text-bad">
            {field.error}
          </p>
        )}
        {hint !== undefined && (
          <p id={hintId} className="text-[0.8125rem] text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

interface TextAreaProps extends InputProps<string> {
  readonly rows?: number
  readonly isCode?: boolean
  readonly placeholder?: string
}

export function TextArea(props: TextAreaProps) {
  const { field, rows = 4, isCode, placeholder } = props
  return (
    <Field {...props} error={field.error}>
      {(ties) => (
        <textarea
          {...ties}
          name={field.name}
          rows={rows}
          value={field.value}
          onChange={(event) => field.onChange(event.target.value)}
          placeholder={placeholder}
          spellCheck={isCode !== true}
          className={classNames('input-frame block w-full resize-y', isCode === true && 'font-mono')}
        />
      )}
    </Field>
  )
}
