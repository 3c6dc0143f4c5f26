import { useId } from 'react'

interface SegmentedChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly choices: readonly (readonly [value: Value, label: string])[]
  readonly onChange: (value: Value) => void
}

/** A choice between a few options that are all visible. */
export function SegmentedChoice<Value extends string>({
  label,
  value,
  choices,
  onChange,
}: SegmentedChoiceProps<Value>) {
  const name = useId()
  return (
    <fieldset className="inline-flex max-w-full flex-wrap rounded-lg border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {choices.map(([each, text]) => (
        <label
          key={each}
          className="relative rounded-md px-2.5 py-1 text-[0.8125rem] font-medium text-muted transition-colors hover:text-ink has-checked:bg-surface has-checked:text-ink has-checked:shadow-lift has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            value={each}
            checked={each === value}
            onChange={() => onChange(each)}
            // It lies over its text, so that all of it scrolls into view with the focus.
            className="absolute inset-0 cursor-pointer opacity-0"
          />
          {text}
        </label>
      ))}
    </fieldset>
  )
}
