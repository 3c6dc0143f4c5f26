import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { createdTokenSchema } from '../../../../src/admin/people/people-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { SelectInput, TextInput } from '../../forms/inputs.tsx'
import { useForm } from '../../forms/use-form.ts'
import { WordsInput } from '../../forms/words-input.tsx'
import { t } from '../../language/language.ts'
import { SecretOnce } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { offeredScopes } from './offered-scopes.ts'

interface CreateTokenDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function CreateTokenDialog({ isOpen, onClose }: CreateTokenDialogProps) {
  const [made, setMade] = useState<{ readonly name: string; readonly secret: string }>()
  const close = () => {
    setMade(undefined)
    onClose()
  }
  const title =
    made === undefined ? t('account.tokens.create') : t('account.tokens.created', { name: made.name })
  return (
    <Dialog isOpen={isOpen || made !== undefined} onClose={close} title={title} isSticky={made !== undefined}>
      {made === undefined ? (
        <TokenForm onMade={setMade} onCancel={close} />
      ) : (
        <SecretOnce secret={made.secret} label={t('account.tokens.copy')} />
      )}
    </Dialog>
  )
}

const initial: { readonly name: string; readonly scopes: readonly string[]; readonly expires_at: string } = {
  name: '',
  scopes: [],
  expires_at: '90d',
}
const lives = ['30d', '90d', '365d'] as const

interface TokenFormProps {
  readonly onMade: (made: { readonly name: string; readonly secret: string }) => void
  readonly onCancel: () => void
}

function TokenForm({ onMade, onCancel }: TokenFormProps) {
  const client = useQueryClient()
  const form = useForm({
    name: 'token',
    initial,
    schema: z.object({
      name: z.string().min(1, { error: t('form.required') }),
      scopes: z.array(z.string()).min(1, { error: t('account.tokens.scopes.none') }),
      expires_at: z.string(),
    }),
    async submit(body) {
      const token = await callApi({ method: 'POST', path: '/tokens', body, answer: createdTokenSchema })
      form.reset()
      onMade(token)
      await client.invalidateQueries({ queryKey: ['tokens'] })
    },
  })
  return (
    <FormFrame
      form={form}
      submit={t('account.tokens.create')}
      onCancel={() => {
        form.reset()
        onCancel()
      }}
    >
      <TextInput
        field={form.bind('name')}
        label={t('account.tokens.name')}
        hint={t('account.tokens.name.hint')}
        autoFocus
      />
      <WordsInput
        field={form.bind('scopes')}
        label={t('account.tokens.scopes')}
        hint={t('account.tokens.scopes.hint')}
        suggestions={offeredScopes}
        placeholder="keys:read"
      />
      <SelectInput
        field={form.bind('expires_at')}
        label={t('account.tokens.expires')}
        choices={lives.map((value) => ({ value, label: t(`account.tokens.expires.${value}`) }))}
      />
    </FormFrame>
  )
}
