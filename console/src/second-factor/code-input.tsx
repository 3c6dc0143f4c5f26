import { TextInput } from '../forms/inputs.tsx'
import type { Binding } from '../forms/use-form.ts'
import { t } from '../language/language.ts'

/** The code of the second factor, at a sign-in or where it is asked for again. */
export function CodeInput({ field }: { readonly field: Binding<string> }) {
  return (
    <TextInput
      field={field}
      label={t('sign_in.code')}
      hint={t('sign_in.code.hint')}
      autoComplete="one-time-code"
      autoFocus
    />
  )
}
