import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type BudgetView, budgetViewSchema } from '../../../../src/admin/budgets/budget-contract.ts'
import { objectViewSchema } from '../../../../src/admin/config/config-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { useAddToDraft } from '../../changes/open-draft.ts'
import { OwnedByFile } from '../../changes/owned-by-file.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { rereads } from '../../forms/submit-for-now.ts'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { BudgetFields } from './budget-fields.tsx'
import {
  budgetFormSchema,
  draftInstallationBudget,
  patchInstallationBudget,
  writeInstallationBudget,
} from './budget-form.ts'
import { budgetPath, budgetQuery } from './budget-queries.ts'

interface EditBudgetProps {
  readonly name: string
  readonly onDone: () => void
}

/** The form of a budget, or its lines in the file if the file owns it. */
export function EditBudget({ name, onDone }: EditBudgetProps) {
  const { data: budget } = useQuery(budgetQuery(name, undefined))
  if (budget === undefined) return null
  if (budget.owner !== 'file') return <EditBudgetForm key={budget.name} budget={budget} onDone={onDone} />
  return (
    <div className="space-y-4">
      <OwnedByFile document={{ budgets: [writeInstallationBudget(draftInstallationBudget(budget))] }} />
      <Button icon="left" onClick={onDone}>
        {t('budgets.back')}
      </Button>
    </div>
  )
}

interface EditBudgetFormProps {
  readonly budget: BudgetView
  readonly onDone: () => void
}

function EditBudgetForm({ budget, onDone }: EditBudgetFormProps) {
  const client = useQueryClient()
  const addToDraft = useAddToDraft()
  const initial = useMemo(() => draftInstallationBudget(budget), [budget])
  const form = useForm({
    name: `budget-${budget.name}`,
    initial,
    schema: budgetFormSchema(),
    reread: rereads({
      path: budgetPath(budget.name),
      answer: budgetViewSchema,
      read: draftInstallationBudget,
    }),
    async submit(draft, mode, ifMatch) {
      const body = patchInstallationBudget(form.initial, draft)
      if (mode === 'draft') {
        await addToDraft({ kind: 'budgets', name: budget.name, change: 'patch', object: body })
        form.reset()
        return onDone()
      }
      const path = budgetPath(budget.name)
      await callApi({ method: 'PATCH', path, body, ifMatch, answer: objectViewSchema })
      form.reset()
      showToast(t('budgets.changed', { name: budget.name }))
      await client.invalidateQueries({ queryKey: ['budgets'] })
      onDone()
    },
  })
  const cancel = () => {
    form.reset()
    onDone()
  }
  return (
    <FormFrame form={form} submit={t('common.save')} onCancel={cancel} canDraft>
      <BudgetFields form={form} />
    </FormFrame>
  )
}
