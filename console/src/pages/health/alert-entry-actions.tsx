import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { explainError } from '../../api/describe-error.ts'
import { ChangeEffects } from '../../changes/change-effects.tsx'
import { type ObjectChange, useAddToDraft } from '../../changes/open-draft.ts'
import { useChangedToast } from '../../changes/undo-version.ts'
import { t } from '../../language/language.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { AlertEntryForm, type AlertPart } from './alert-entry-form.tsx'
import { changeAlertPart } from './change-alert-part.ts'
import type { AlertEntry } from './reread-alert-entries.ts'

interface AddEntryProps {
  readonly part: AlertPart
  /** The next step in the same dialog, shown once an entry is in force. */
  readonly next?: (name: string, onDone: () => void) => ReactNode
}

/** The button that adds a rule or a receiver. */
export function AddAlertEntry({ part, next }: AddEntryProps) {
  const [isOpen, setOpen] = useState(false)
  const [saved, setSaved] = useState<string>()
  const close = () => {
    setOpen(false)
    setSaved(undefined)
  }
  const label = t(`alerts.${part.texts}.add`)
  return (
    <>
      <Button isSmall icon="plus" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} isSticky shape="wide" title={label}>
        {next !== undefined && saved !== undefined ? (
          next(saved, close)
        ) : (
          <AlertEntryForm part={part} onDone={close} {...(next !== undefined && { onSaved: setSaved })} />
        )}
      </Dialog>
    </>
  )
}

interface EntryActionsProps extends Pick<AddEntryProps, 'part'> {
  readonly entry: AlertEntry
  readonly title: string
  /** Whether the entry can be deleted. A default rule can only be turned off. */
  readonly isWritten: boolean
  /** Undefined for an entry that cannot be turned off. */
  readonly isOff?: boolean
}

/** The buttons that change, turn off and delete a rule or a receiver. */
export function AlertEntryActions({ part, entry, title, isWritten, isOff }: EntryActionsProps) {
  const [opened, setOpened] = useState<'edit' | 'off' | 'remove'>()
  const close = () => setOpened(undefined)
  const { kind } = part
  const { name } = entry
  const apply = useApply(part)
  const turnOn = { kind, name, change: 'patch', object: { off: null } } as const
  return (
    <div className="flex flex-wrap items-center gap-1">
      {isOff === true ? (
        <Button isSmall aria-label={`${t('alerts.rule.on')}: ${title}`} onClick={() => apply.now(turnOn)}>
          {t('alerts.rule.on')}
        </Button>
      ) : (
        <IconButton
          icon="edit"
          label={`${t('alerts.entry.edit')}: ${title}`}
          onClick={() => setOpened('edit')}
        />
      )}
      {isOff === false && (
        <IconButton
          icon="pause"
          label={`${t('alerts.rule.off')}: ${title}`}
          onClick={() => setOpened('off')}
        />
      )}
      {isWritten && (
        <IconButton
          icon="trash"
          label={`${t('alerts.entry.remove')}: ${title}`}
          onClick={() => setOpened('remove')}
        />
      )}
      <Dialog isOpen={opened === 'edit'} onClose={close} isSticky shape="wide" title={title}>
        <AlertEntryForm part={part} entry={entry} onDone={close} />
      </Dialog>
      <ChangeDialog
        part={part}
        isOpen={opened === 'off'}
        onClose={close}
        change={{ kind, name, change: 'patch', object: { off: true } }}
        title={t('alerts.rule.off.title', { name: title })}
        confirm={t('alerts.rule.off')}
      >
        <p>{t('alerts.rule.off.why')}</p>
      </ChangeDialog>
      <ChangeDialog
        part={part}
        isOpen={opened === 'remove'}
        onClose={close}
        change={{ kind, name, change: 'remove' }}
        title={t('alerts.entry.remove.title', { name: title })}
        confirm={t('alerts.entry.remove')}
      >
        <p>{t(`alerts.${part.texts}.remove.why`)}</p>
      </ChangeDialog>
    </div>
  )
}

/** Makes a change at once and shows a toast with an undo button. */
function useApply(part: AlertPart) {
  const client = useQueryClient()
  const sayChanged = useChangedToast()
  const apply = async (change: ObjectChange) => {
    const version = await changeAlertPart(part, change)
    sayChanged(t(`alerts.${part.texts}.saved`, { name: change.name }), version)
    // The dialog is still open. Previews are left out, as the preview of this change is no longer valid.
    await client.invalidateQueries({ predicate: ({ queryKey }) => !queryKey.includes('preview') })
  }
  const now = (change: ObjectChange) => {
    apply(change).catch((error: unknown) => showToast(explainError(error), { tone: 'bad' }))
  }
  return { apply, now }
}

interface ChangeDialogProps {
  readonly part: AlertPart
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly change: ObjectChange
  readonly title: string
  readonly confirm: string
  readonly children: ReactNode
}

function ChangeDialog({ part, isOpen, onClose, change, title, confirm, children }: ChangeDialogProps) {
  const addToDraft = useAddToDraft()
  const { apply } = useApply(part)
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={() => apply(change)}
      onDraft={() => addToDraft(change)}
      title={title}
      confirm={confirm}
    >
      {children}
      <ChangeEffects change={change} />
    </ConfirmDialog>
  )
}
