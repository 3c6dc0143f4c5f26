import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  appliedDraftSchema,
  type DraftView,
  draftSummarySchema,
} from '../../../../src/admin/drafts/draft-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { EffectList } from '../../changes/effect-list.tsx'
import { useChangedToast } from '../../changes/undo-version.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { NameDraftDialog } from './name-draft-dialog.tsx'

type Opened = 'apply' | 'rename' | 'discard'

/** The buttons that apply, rename and discard a draft. */
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

/** Applies the revision that the user has seen. The gateway refuses another revision. */
function ApplyDialog({ draft, isOpen, onClose }: ActionDialogProps) {
  const client = useQueryClient()
  const sayChanged = useChangedToast()
  const apply = async () => {
    const { version } = await callApi({
      method: 'POST',
      path: `/drafts/${encodeURIComponent(draft.id)}/apply`,
      body: { revision: draft.revision },
      answer: appliedDraftSchema,
    })
    sayChanged(t('drafts.applied', { version: String(version) }), version)
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
