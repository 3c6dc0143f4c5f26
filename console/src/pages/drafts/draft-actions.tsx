import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { configViewSchema } from '../../../../src/admin/config/config-contract.ts'
import {
  appliedDraftSchema,
  type DraftView,
  draftSummarySchema,
} from '../../../../src/admin/drafts/draft-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { explainError } from '../../api/describe-error.ts'
import { EffectList } from '../../changes/effect-list.tsx'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { NameDraftDialog } from './name-draft-dialog.tsx'

type Opened = 'apply' | 'rename' | 'discard'

/** Applying, renaming and discarding a draft. */
export function DraftActions({ draft }: { readonly draft: DraftView }) {
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  const isReady = draft.ok && !draft.outdated && draft.diff.length > 0
  return (
    <div className="mt-4 flex flex-wrap gap-2">
      <Button variant="primary" icon="check" disabled={!isReady} onClick={() => setOpened('apply')}>
        {t('drafts.apply')}
      </Button>
      <Button icon="edit" onClick={() => setOpened('rename')}>
        {t('drafts.rename')}
      </Button>
      <Button icon="trash" onClick={() => setOpened('discard')}>
        {t('drafts.discard')}
      </Button>
      <ApplyDialog draft={draft} isOpen={opened === 'apply'} onClose={close} />
      <DiscardDialog draft={draft} isOpen={opened === 'discard'} onClose={close} />
      <NameDraftDialog draft={draft} isOpen={opened === 'rename'} onClose={close} />
    </div>
  )
}

interface ActionDialogProps {
  readonly draft: DraftView
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Applies what was read: another revision is refused. */
function ApplyDialog({ draft, isOpen, onClose }: ActionDialogProps) {
  const client = useQueryClient()
  const undo = useUndo()
  const apply = async () => {
    const { version } = await callApi({
      method: 'POST',
      path: `/drafts/${encodeURIComponent(draft.id)}/apply`,
      body: { revision: draft.revision },
      answer: appliedDraftSchema,
    })
    showToast(t('drafts.applied', { version: String(version) }), {
      action: { label: t('drafts.undo'), run: () => undo(version) },
    })
    client.removeQueries({ queryKey: ['drafts', 'one', draft.id] })
    await client.invalidateQueries()
  }
  const breaking = draft.effects.filter(({ severity }) => severity === 'breaks')
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={apply}
      isDangerous={breaking.length > 0}
      title={t('drafts.apply.title', { name: draft.name })}
      confirm={t('drafts.apply')}
    >
      <p>{t('drafts.apply.why')}</p>
      <EffectList {...draft} />
    </ConfirmDialog>
  )
}

/** Undoes a version at once; what fails is said. */
function useUndo() {
  const client = useQueryClient()
  return (version: number) => {
    const path = `/config/versions/${version}/undo`
    callApi({ method: 'POST', path, body: {}, answer: configViewSchema })
      .then(async () => {
        showToast(t('drafts.undone', { version: String(version) }))
        await client.invalidateQueries()
      })
      .catch((error: unknown) => showToast(explainError(error), { tone: 'bad' }))
  }
}

function DiscardDialog({ draft, isOpen, onClose }: ActionDialogProps) {
  const client = useQueryClient()
  const discard = async () => {
    const path = `/drafts/${encodeURIComponent(draft.id)}`
    await callApi({ method: 'DELETE', path, answer: draftSummarySchema })
    showToast(t('drafts.discarded'))
    client.removeQueries({ queryKey: ['drafts', 'one', draft.id] })
    await client.invalidateQueries({ queryKey: ['drafts', 'list'] })
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      isDangerous
      onConfirm={discard}
      title={t('drafts.discard.title', { name: draft.name })}
      confirm={t('drafts.discard')}
    >
      <p>{t('drafts.discard.why')}</p>
    </ConfirmDialog>
  )
}
