import { type ReactNode, useId } from 'react'
import { t } from '../language/language.ts'
import { Button, IconButton } from '../ui/button.tsx'
import type { NamedChoice } from './setting-values.ts'

interface HeaderInputsProps {
  readonly label: string
  readonly hint: ReactNode
  readonly rows: readonly NamedChoice[]
  /** The names of headers that already have a value. */
  readonly known: readonly string[]
  readonly error: string | undefined
  readonly onChange: (rows: readonly NamedChoice[]) => void
}

const needsValue = ({ name, choice }: NamedChoice, known: readonly string[]) =>
  name.trim() !== '' && choice === '' && !known.includes(name.trim())

/** Headers with their values. A value can be typed but is never shown again. */
export function HeaderInputs({ label, hint, rows, known, error, onChange }: HeaderInputsProps) {
  const errorId = useId()
  return (
    <fieldset className="space-y-2">
      <legend className="font-medium">{label}</legend>
      <p className="text-[0.8125rem] text-muted">{hint}</p>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name while they are typed.
        <div key={index} className="flex flex-wrap items-center gap-2">
          <input
            aria-label={t('settings.header.name')}
            aria-invalid={error !== undefined && !needsValue(row, known) ? true : undefined}
            aria-describedby={error === undefined ? undefined : errorId}
            placeholder={t('settings.header.name')}
            value={row.name}
            onChange={(event) => onChange(rows.with(index, { ...row, name: event.target.value }))}
            autoComplete="off"
            spellCheck={false}
            className="input-frame min-w-32 flex-1 font-mono"
          />
          <input
            type="password"
            aria-invalid={error !== undefined && needsValue(row, known) ? true : undefined}
            aria-describedby={error === undefined ? undefined : errorId}
            aria-label={row.name === '' ? t('settings.header.value') : row.name}
            placeholder={
              known.includes(row.name) ? t('alerts.receiver.unchanged') : t('settings.header.value')
            }
            value={row.choice}
            onChange={(event) => onChange(rows.with(index, { ...row, choice: event.target.value }))}
            autoComplete="new-password"
            spellCheck={false}
            className="input-frame min-w-32 flex-1 font-mono"
          />
          <IconButton
            icon="trash"
            label={t('settings.header.remove')}
            onClick={() => onChange(rows.toSpliced(index, 1))}
          />
        </div>
      ))}
      {error !== undefined && (
        <p id={errorId} className="text-bad">
          {error}
        </p>
      )}
      <Button isSmall icon="plus" onClick={() => onChange([...rows, { name: '', choice: '' }])}>
        {t('settings.header.add')}
      </Button>
    </fieldset>
  )
}
