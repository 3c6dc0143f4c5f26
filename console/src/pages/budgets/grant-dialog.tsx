import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { z } from 'zod'
import { creditViewSchema } from '../../../../src/admin/credits/credit-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { NumberInput, SelectInput, TextInput } from '../../forms/inputs.tsx'
import { readAmount } from '../../forms/read-amount.ts'
import { useForm } from '../../forms/use-form.ts'
import { writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { OwnerFields, ownerFieldOf, ownerSchema } from './owner-fields.tsx'

interface GrantDialogProps {
  readonly isOpen: boolean
  /** The owner of the credit, such as group:search, if it is known. */
  readonly owner: string | undefined
  readonly onClose: () => void
}

export function GrantDialog({ isOpen, owner, onClose }: GrantDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      isSticky
      title={t('credits.grant')}
      description={t('credits.grant.why')}
    >
      <GrantForm owner={owner} onDone={onClose} />
    </Dialog>
  )
}

const expiries = ['never', '30d', '90d', '180d', '365d'] as const

function GrantForm({ owner, onDone }: Pick<GrantDialogProps, 'owner'> & { readonly onDone: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate({ from: '/budgets' })
  const initial = useMemo(() => {
    const [type = 'group', name = ''] = owner?.split(/:(.*)/) ?? []
    return { owner_type: type, owner_name: name, amount_usd: '', reason: '', expires_at: 'never' }
  }, [owner])
  const form = useForm({
    name: 'grant',
    initial,
    fieldOf: ownerFieldOf,
    schema: z.object({
      ...ownerSchema(),
      amount_usd: z.string().refine((text) => readAmount(text) !== 0 && !Number.isNaN(readAmount(text)), {
        error: t('credits.amount.wrong'),
      }),
      reason: z
        .string()
        .trim()
        .min(1, { error: t('form.required') }),
      expires_at: z.string(),
    }),
    async submit({ owner_type: type, owner_name: name, amount_usd: amount, reason, expires_at: end }) {
      const body = {
        [type]: name,
        amount_usd: readAmount(amount),
        reason,
        ...(end !== 'never' && { expires_at: end }),
      }
      const credit = await callApi({ method: 'POST', path: '/credits', body, answer: creditViewSchema })
      form.reset()
      showToast(t('credits.granted', { amount: writeUsd(readAmount(amount)) }))
      await client.invalidateQueries({ queryKey: ['credits'] })
      await navigate({ search: { tab: 'credits', credit: credit.owner }, replace: true })
    },
  })
  const cancel = () => {
    form.reset()
    onDone()
  }
  return (
    <FormFrame form={form} submit={t('credits.grant')} onCancel={cancel}>
      <OwnerFields form={form} />
      <NumberInput
        field={form.bind('amount_usd')}
        label={t('credits.amount')}
        hint={t('credits.amount.hint')}
        unit="USD"
      />
      <TextInput field={form.bind('reason')} label={t('budgets.reason')} hint={t('budgets.reason.hint')} />
      <SelectInput
        field={form.bind('expires_at')}
        label={t('credits.expires_at')}
        hint={t('credits.expires_at.hint')}
        choices={expiries.map((value) => ({ value, label: t(`credits.expires_at.${value}`) }))}
      />
    </FormFrame>
  )
}
