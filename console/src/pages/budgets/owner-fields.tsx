import { z } from 'zod'
import { SelectInput, TextInput } from '../../forms/inputs.tsx'
import type { Form } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { useGroupNames, useUserNames } from '../../suggestions/people-names.ts'

const ownerTypes = ['key', 'user', 'group'] as const

/** The owner of a credit, as fields of a form. */
export type OwnerDraft = { readonly owner_type: string; readonly owner_name: string }

export const ownerSchema = () => ({
  owner_type: z.enum(ownerTypes),
  owner_name: z
    .string()
    .trim()
    .min(1, { error: t('form.required') }),
})

/** Maps the gateway's parameter for a wrong owner, which is the owner's type, to the form's field. */
export const ownerFieldOf = (param: string): string =>
  ownerTypes.some((type) => type === param) ? 'owner_name' : param

export function OwnerFields<Draft extends OwnerDraft>({ form }: { readonly form: Form<Draft> }) {
  const suggestions = { user: useUserNames(), group: useGroupNames() }
  const { owner_type: type } = form.values
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectInput
        field={form.bind('owner_type')}
        label={t('credits.owner')}
        choices={ownerTypes.map((value) => ({ value, label: t(`budgets.scope.${value}`) }))}
      />
      <TextInput
        field={form.bind('owner_name')}
        label={t('budgets.scope.name')}
        suggestions={type === 'user' || type === 'group' ? suggestions[type] : []}
      />
    </div>
  )
}
