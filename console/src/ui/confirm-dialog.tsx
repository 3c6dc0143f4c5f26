import { type ReactNode, useEffect, useRef, useState } from 'react'
import { explainError } from '../api/describe-error.ts'
import { t } from '../language/language.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { Banner } from './states.tsx'
import { showToast } from './toasts.tsx'

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
  const { state, run } = useRun({ isOpen, onClose, title })
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <div className="space-y-3">{children}</div>
      {state.error !== undefined && (
        <div className="mt-3">
          <Banner tone="bad">{explainError(state.error)}</Banner>
        </div>
      )}
      <DialogActions>
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        {onDraft !== undefined && (
          <Button icon="edit" isWaiting={state.isBusy} onClick={() => void run(onDraft)}>
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

interface RunState {
  readonly isBusy: boolean
  readonly error?: unknown
}

const idle: RunState = { isBusy: false }

/**
 * Runs the action of an open dialog. The user may close the dialog while the action runs. A failure is then a toast:
 * the dialog that opens next belongs to another action, or to another object.
 */
function useRun({ isOpen, onClose, title }: Pick<ConfirmDialogProps, 'isOpen' | 'onClose' | 'title'>) {
  const [state, setState] = useState(idle)
  const opening = useRef(0)
  useEffect(() => {
    if (!isOpen) return
    setState(idle)
    return () => {
      opening.current += 1
    }
  }, [isOpen])
  const run = async (work: () => Promise<unknown>) => {
    const opened = opening.current
    setState({ isBusy: true })
    try {
      await work()
      if (opened === opening.current) onClose()
    } catch (error) {
      if (opened === opening.current) setState({ isBusy: false, error })
      else showToast(`${title} ${explainError(error)}`, { tone: 'bad' })
    }
  }
  return { state, run }
}
