import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type KeyView, keyViewSchema } from '../../../../src/admin/keys/key-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { rereads } from '../../forms/submit-for-now.ts'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { showToast } from '../../ui/toasts.tsx'
import { KeyEffects } from './key-effects.tsx'
import { KeyFields } from './key-fields.tsx'
import { draftKey, keyDraftSchema, writeKeyChange } from './key-form.ts'
import { keyPath } from './key-queries.ts'

interface EditKeyFormProps {
  readonly shown: KeyView
  readonly onDone: () => void
}

export function EditKeyForm({ shown, onDone }: EditKeyFormProps) {
  const client = useQueryClient()
  const initial = useMemo(() => draftKey(shown), [shown])
  const form = useForm({
    name: `key-${shown.id}`,
    initial,
    schema: keyDraftSchema(),
    reread: rereads({ path: keyPath(shown.id), answer: keyViewSchema, read: draftKey }),
    async submit(draft) {
      const body = writeKeyChange(form.initial, draft, shown)
      if (Object.keys(body).length > 0) {
        await callApi({ method: 'PATCH', path: keyPath(shown.id), body, answer: keyViewSchema })
        showToast(t('keys.changed', { name: draft.name }))
        await client.invalidateQueries({ queryKey: ['keys'] })
        await client.invalidateQueries({ queryKey: ['budgets'] })
      }
      form.reset()
      onDone()
    },
  })
  const cancel = () => {
    form.reset()
    onDone()
  }
  return (
    <FormFrame form={form} submit={t('common.save')} onCancel={cancel}>
      <KeyFields form={form} isChange />
      <KeyEffects shown={shown} form={form} />
    </FormFrame>
  )
}
