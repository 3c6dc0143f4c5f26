import { type FormEvent, useId, useState } from 'react'
import type { Names } from '../../api/read-rows.ts'
import { Field } from '../../forms/field.tsx'
import { Suggestions } from '../../forms/inputs.tsx'
import { t } from '../../language/language.ts'

interface NameChoiceProps extends Names {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A choice among names, or a text where there are more of them than could be listed. */
export function NameChoice(props: NameChoiceProps) {
  const { label, value, rows: names, isComplete, onChange } = props
  if (!isComplete) return <TypedName {...props} />
  return (
    <Field label={label}>
      {(ties) => (
        <select
          {...ties}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className="input-frame w-full"
        >
          {names.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A name that is typed. It applies once it is whole: by Enter, by leaving the field, or as one of the suggestions. */
function TypedName({ label, value, rows: names, onChange }: NameChoiceProps) {
  const [typed, setTyped] = useState(value)
  const list = useId()
  const apply = (name: string) => {
    if (name !== '' && name !== value) onChange(name)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    apply(typed.trim())
  }
  return (
    <form onSubmit={submit}>
      <Field label={label} hint={t('connect.typed', { count: names.length })}>
        {(ties) => (
          <>
            <input
              {...ties}
              list={list}
              value={typed}
              onChange={({ target }) => {
                setTyped(target.value)
                if (names.includes(target.value)) apply(target.value)
              }}
              onBlur={() => apply(typed.trim())}
              autoComplete="off"
              spellCheck={false}
              className="input-frame w-full"
            />
            <Suggestions id={list} texts={names} />
          </>
        )}
      </Field>
    </form>
  )
}
