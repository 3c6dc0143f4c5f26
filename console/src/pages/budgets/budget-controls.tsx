import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type BudgetView, budgetViewSchema } from '../../../../src/admin/budgets/budget-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { anyAnswerSchema } from '../../api/session.ts'
import { ChangeEffects } from '../../changes/change-effects.tsx'
import { useAddToDraft } from '../../changes/open-draft.ts'
import { writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { useMay, useMe } from '../../shell/use-me.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { budgetPath } from './budget-queries.ts'
import { RaiseForm } from './raise-form.tsx'

interface BudgetControlsProps {
  readonly budget: BudgetView
  readonly onEdit: () => void
  readonly onGone: () => void
}

/** The buttons that change a budget, for users who may do that. */
export function BudgetControls({ budget, onEdit, onGone }: BudgetControlsProps) {
  const [open, setOpen] = useState<'raise' | 'reset' | 'delete'>()
  const manages = useMay('PATCH /budgets/{name}')
  const { groups } = useMe()
  // A manager may change the budgets of the group's keys. The gateway refuses changes to those of other keys.
  const changes = manages || (budget.scope.startsWith('key:') && groups.some(({ manager }) => manager))
  if (!changes) return null
  const close = () => setOpen(undefined)
  const isOne = budget.spent_usd !== null
  return (
    <div className="flex flex-wrap gap-2">
      {budget.limit_usd !== 'unlimited' && (
        <Button icon="up" onClick={() => setOpen('raise')}>
          {t('budgets.raise')}
        </Button>
      )}
      {isOne && (
        <Button icon="refresh" onClick={() => setOpen('reset')}>
          {t('budgets.reset')}
        </Button>
      )}
      {manages && budget.owner !== null && (
        <Button icon="edit" onClick={onEdit}>
          {t('common.edit')}
        </Button>
      )}
      {manages && budget.owner === 'api' && (
        <Button icon="trash" onClick={() => setOpen('delete')}>
          {t('budgets.delete')}
        </Button>
      )}
      <Dialog
        isOpen={open === 'raise'}
        onClose={close}
        title={t('budgets.raise.title', { name: budget.name })}
        description={t('budgets.raise.why')}
      >
        <RaiseForm budget={budget} onDone={close} />
      </Dialog>
      <ResetDialog budget={budget} isOpen={open === 'reset'} onClose={close} />
      <DeleteDialog budget={budget} isOpen={open === 'delete'} onClose={close} onGone={onGone} />
    </div>
  )
}

interface ControlDialogProps extends Pick<BudgetControlsProps, 'budget'> {
  readonly isOpen: boolean
  readonly onClose: () => void
}

function ResetDialog({ budget, isOpen, onClose }: ControlDialogProps) {
  const client = useQueryClient()
  const { name, value, spent_usd: spent } = budget
  const reset = async () => {
    const body = value === null ? {} : { value }
    await callApi({ method: 'POST', path: `${budgetPath(name)}/reset`, body, answer: budgetViewSchema })
    showToast(t('budgets.reset.done', { name }))
    await client.invalidateQueries({ queryKey: ['budgets'] })
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={reset}
      title={t('budgets.reset.title', { name })}
      confirm={t('budgets.reset')}
    >
      <p>{t('budgets.reset.why', { spent: writeUsd(spent ?? 0) })}</p>
    </ConfirmDialog>
  )
}

interface DeleteDialogProps extends ControlDialogProps {
  readonly onGone: () => void
}

function DeleteDialog({ budget: { name }, isOpen, onClose, onGone }: DeleteDialogProps) {
  const client = useQueryClient()
  const addToDraft = useAddToDraft()
  const removal = { kind: 'budgets', name, change: 'remove' } as const
  const remove = async () => {
    await callApi({ method: 'DELETE', path: budgetPath(name), answer: anyAnswerSchema })
    showToast(t('budgets.deleted', { name }))
    onGone()
    // The open budget is deleted, so it must not be read again.
    await client.invalidateQueries({ queryKey: ['budgets', 'list'] })
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      isDangerous
      onConfirm={remove}
      onDraft={() => addToDraft(removal)}
      title={t('budgets.delete.title', { name })}
      confirm={t('budgets.delete')}
    >
      <p>{t('budgets.delete.why')}</p>
      <ChangeEffects change={removal} />
    </ConfirmDialog>
  )
}
