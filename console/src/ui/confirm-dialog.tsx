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
  /** The effect, in words. */
  readonly children: ReactNode
  readonly confirm: string
  readonly isDangerous?: boolean
  /** Closes the dialog once it is fulfilled; what it fails with is shown. */
  readonly onConfirm: () => Promise<unknown>
}

export function ConfirmDialog({
  isOpen,
  onClose,
  title,
  children,
  confirm,
  isDangerous = false,
  onConfirm,
}: ConfirmDialogProps) {
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly error?: unknown }>({
    isBusy: false,
  })
  const run = async () => {
    setState({ isBusy: true })
    try {
      await onConfirm()
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
        <Button variant={isDangerous ? 'danger' : 'primary'} isBusy={state.isBusy} onClick={run}>
          {confirm}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
