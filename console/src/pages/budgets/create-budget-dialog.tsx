import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { objectViewSchema } from '../../../../src/admin/config/config-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { useAddToDraft } from '../../changes/open-draft.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { TextInput } from '../../forms/inputs.tsx'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { BudgetFields } from './budget-fields.tsx'
import { budgetFormSchema, emptyBudget, writeInstallationBudget } from './budget-form.ts'

interface CreateBudgetDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function CreateBudgetDialog({ isOpen, onClose }: CreateBudgetDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      isSticky
      title={t('budgets.create')}
      description={t('budgets.create.why')}
    >
      <CreateBudgetForm onDone={onClose} />
    </Dialog>
  )
}

/** Maps a parameter that the gateway rejects to its field, as the scope is two fields in this form. */
const fieldOf = (param: string) => {
  const [first = ''] = param.split(/[.[]/)
  return first === 'scope' ? 'scope_name' : first
}

function CreateBudgetForm({ onDone }: { readonly onDone: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate({ from: '/budgets' })
  const addToDraft = useAddToDraft()
  const form = useForm({
    name: 'budget',
    initial: emptyBudget,
    schema: budgetFormSchema(),
    fieldOf,
    async submit(draft, mode) {
      const body = writeInstallationBudget(draft)
      if (mode === 'draft') {
        await addToDraft({ kind: 'budgets', name: draft.name.trim(), change: 'create', object: body })
        form.reset()
        return onDone()
      }
      const { name } = await callApi({ method: 'POST', path: '/budgets', body, answer: objectViewSchema })
      form.reset()
      showToast(t('budgets.created', { name }))
      await client.invalidateQueries({ queryKey: ['budgets'] })
      await navigate({ to: '/budgets', search: { budget: name }, replace: true })
    },
  })
  const cancel = () => {
    form.reset()
    onDone()
  }
  return (
    <FormFrame form={form} submit={t('budgets.create')} onCancel={cancel} canDraft>
      <TextInput field={form.bind('name')} label={t('common.name')} hint={t('budgets.name.hint')} />
      <BudgetFields form={form} />
    </FormFrame>
  )
}
