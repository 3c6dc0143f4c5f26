import { type ReactNode, useState } from 'react'
import { explainError } from '../api/describe-error.ts'
import { t } from '../language/language.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { Banner } from './states.tsx'

interface ConfirmDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: string
  /** The effect of the action, in words. */
  readonly children: ReactNode
  readonly confirm: string
  readonly isDangerous?: boolean
  /** The action. The dialog closes when the promise resolves, and shows the error if it rejects. */
  readonly onConfirm: () => Promise<unknown>
  /** Whether confirming is disabled for a reason that the content gives. */
  readonly isBlocked?: boolean
  /** Adds the change to a draft instead. Absent if that is impossible. */
  readonly onDraft?: () => Promise<unknown>
}

export function ConfirmDialog({
  isOpen,
  onClose,
  title,
  children,
  confirm,
  isDangerous = false,
  onConfirm,
  onDraft,
  isBlocked = false,
}: ConfirmDialogProps) {
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly error?: unknown }>({
    isBusy: false,
  })
  const run = async (work: () => Promise<unknown>) => {
    setState({ isBusy: true })
    try {
      await work()
      setState({ isBusy: false })
      onClose()
    } catch (error) {
      setState({ isBusy: false, error })
    }
  }
  const close = () => {
    setState({ isBusy: false })
    onClose()
  }
  return (
    <Dialog isOpen={isOpen} onClose={close} title={title}>
      <div className="space-y-3">{children}</div>
      {state.error !== undefined && (
        <div className="mt-3">
          <Banner tone="bad">{explainError(state.error)}</Banner>
        </div>
      )}
      <DialogActions>
        <Button onClick={close}>{t('common.cancel')}</Button>
        {onDraft !== undefined && (
          <Button icon="edit" disabled={state.isBusy} onClick={() => void run(onDraft)}>
            {t('drafts.add')}
          </Button>
        )}
        <Button
          variant={isDangerous ? 'danger' : 'primary'}
          isBusy={state.isBusy}
          disabled={isBlocked}
          onClick={() => void run(onConfirm)}
        >
          {confirm}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
