import { useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { type BudgetView, budgetViewSchema } from '../../../../src/admin/budgets/budget-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { NumberInput, SelectInput, TextInput } from '../../forms/inputs.tsx'
import { readAmount } from '../../forms/read-amount.ts'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { showToast } from '../../ui/toasts.tsx'
import { budgetPath } from './budget-queries.ts'

const lengths = ['1h', '24h', '7d', '30d', 'good'] as const
const initial = { by_usd: '', until: '24h', reason: '' }

interface RaiseFormProps {
  readonly budget: BudgetView
  readonly onDone: () => void
}

/** A form that raises the limit of a budget for a limited time. */
export function RaiseForm({ budget: { name }, onDone }: RaiseFormProps) {
  const client = useQueryClient()
  const form = useForm({
    name: `raise-${name}`,
    initial,
    schema: z.object({
      by_usd: z.string().refine((text) => readAmount(text) !== 0 && !Number.isNaN(readAmount(text)), {
        error: t('budgets.raise.wrong'),
      }),
      until: z.string(),
      reason: z.string(),
    }),
    async submit({ by_usd: by, until, reason }) {
      const body = {
        by_usd: readAmount(by),
        ...(until !== 'good' && { until }),
        ...(reason.trim() !== '' && { reason: reason.trim() }),
      }
      await callApi({ method: 'POST', path: `${budgetPath(name)}/raise`, body, answer: budgetViewSchema })
      form.reset()
      showToast(t('budgets.raise.done', { name }))
      await client.invalidateQueries({ queryKey: ['budgets'] })
      onDone()
    },
  })
  const cancel = () => {
    form.reset()
    onDone()
  }
  return (
    <FormFrame form={form} submit={t('budgets.raise')} onCancel={cancel}>
      <NumberInput
        field={form.bind('by_usd')}
        label={t('budgets.raise.by')}
        hint={t('budgets.raise.by.hint')}
        unit="USD"
      />
      <SelectInput
        field={form.bind('until')}
        label={t('budgets.raise.for')}
        choices={lengths.map((value) => ({ value, label: t(`budgets.raise.for.${value}`) }))}
      />
      <TextInput
        field={form.bind('reason')}
        label={t('budgets.reason')}
        hint={t('budgets.reason.hint')}
        isOptional
      />
    </FormFrame>
  )
}
