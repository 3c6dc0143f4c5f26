import { type ReactNode, useId } from 'react'
import { t } from '../language/language.ts'

export interface FieldTexts {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly isOptional?: boolean
}

interface FieldProps extends FieldTexts {
  /** Renders the control with the IDs that link it to its label and texts. */
  readonly children: (control: ControlTies) => ReactNode
}

export interface ControlTies {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

/** A control with its label above and its error or hint below. */
export function Field({ label, hint, error, isOptional = false, children }: FieldProps) {
  const id = useId()
  const hintId = hint === undefined ? undefined : `${id}-hint`
  const errorId = error === undefined ? undefined : `${id}-error`
  const described = [errorId, hintId].filter((each) => each !== undefined).join(' ')
  return (
    <div className="min-w-0 space-y-1">
      <label htmlFor={id} className="flex items-baseline gap-2 font-medium">
        {label}
        {isOptional && <span className="text-xs font-normal text-muted">{t('form.optional')}</span>}
      </label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {error !== undefined && (
        <p id={errorId} className="text-bad">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={hintId} className="text-[0.8125rem] text-muted">
          {hint}
        </p>
      )}
    </div>
  )
}
