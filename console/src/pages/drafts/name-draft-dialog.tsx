import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { z } from 'zod'
import { type DraftSummary, draftSummarySchema } from '../../../../src/admin/drafts/draft-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { openDraft } from '../../changes/open-draft.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { TextInput } from '../../forms/inputs.tsx'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'

interface NameDraftDialogProps {
  /** The draft to rename. Absent for a new draft. */
  readonly draft?: DraftSummary
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function NameDraftDialog({ draft, isOpen, onClose }: NameDraftDialogProps) {
  const isNew = draft === undefined
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={isNew ? t('drafts.new') : t('drafts.rename')}
      {...(isNew && { description: t('drafts.new.why') })}
    >
      <NameForm {...(draft !== undefined && { draft })} onClose={onClose} />
    </Dialog>
  )
}

function NameForm({ draft, onClose }: Pick<NameDraftDialogProps, 'draft' | 'onClose'>) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const form = useForm({
    name: draft === undefined ? 'draft' : `draft.${draft.id}`,
    initial: { name: draft?.name ?? '', comment: draft?.comment ?? '' },
    schema: z.object({
      name: z
        .string()
        .trim()
        .min(1, { error: t('form.required') }),
      comment: z.string().trim(),
    }),
    async submit({ name, comment }) {
      const saved = await save({ name, comment }, draft)
      openDraft(saved.id)
      await client.invalidateQueries({ queryKey: ['drafts'] })
      if (draft === undefined) await navigate({ to: '/drafts', search: { id: saved.id } })
      else showToast(t('drafts.renamed'))
      onClose()
    },
  })
  return (
    <FormFrame
      form={form}
      submit={draft === undefined ? t('drafts.create') : t('drafts.rename')}
      onCancel={onClose}
    >
      <TextInput field={form.bind('name')} label={t('drafts.name')} autoFocus />
      <TextInput
        field={form.bind('comment')}
        label={t('drafts.comment')}
        hint={t('drafts.comment.hint')}
        isOptional
      />
    </FormFrame>
  )
}

interface NamedDraft {
  readonly name: string
  readonly comment: string
}

function save({ name, comment }: NamedDraft, draft: DraftSummary | undefined): Promise<DraftSummary> {
  if (draft !== undefined) {
    const path = `/drafts/${encodeURIComponent(draft.id)}`
    const body = { name, comment: comment === '' ? null : comment }
    return callApi({ method: 'PATCH', path, body, answer: draftSummarySchema })
  }
  const body = { name, ...(comment !== '' && { comment }) }
  return callApi({ method: 'POST', path: '/drafts', body, answer: draftSummarySchema })
}
