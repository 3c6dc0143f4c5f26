import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type ObjectView, objectViewSchema } from '../../../../src/admin/config/config-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { ChangeEffects } from '../../changes/change-effects.tsx'
import { useAddToDraft } from '../../changes/open-draft.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { TextInput } from '../../forms/inputs.tsx'
import { rereads } from '../../forms/submit-for-now.ts'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { AliasFields } from './alias-fields.tsx'
import { aliasSchema, diffAlias, emptyAlias, readAlias, writeAlias } from './alias-form.ts'
import { modelPath } from './model-queries.ts'

/** Maps a parameter that the gateway rejects to its field. */
const fieldOf = (param: string) => {
  const [first = '', second] = param.split(/[.[]/)
  return first === 'price' ? (second ?? 'input') : first
}

interface CreateAliasDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function CreateAliasDialog({ isOpen, onClose }: CreateAliasDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      isSticky
      title={t('models.add')}
      description={t('models.add.why')}
    >
      <CreateAliasForm onCancel={onClose} />
    </Dialog>
  )
}

function CreateAliasForm({ onCancel }: { readonly onCancel: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate({ from: '/models' })
  const addToDraft = useAddToDraft()
  const form = useForm({
    name: 'create-alias',
    initial: emptyAlias,
    schema: aliasSchema(),
    fieldOf,
    async submit(draft, mode) {
      const body = writeAlias(draft)
      if (mode === 'draft') {
        await addToDraft({ kind: 'models', name: draft.name.trim(), change: 'create', object: body })
        return onCancel()
      }
      const { name } = await callApi({ method: 'POST', path: '/models', body, answer: objectViewSchema })
      showToast(t('models.added', { name }))
      await client.invalidateQueries()
      await navigate({ to: '/models/$name', params: { name }, search: {} })
    },
  })
  return (
    <FormFrame form={form} submit={t('models.add.submit')} onCancel={onCancel} canDraft>
      <TextInput field={form.bind('name')} label={t('models.name')} hint={t('models.name.hint')} />
      <AliasFields form={form} />
    </FormFrame>
  )
}

interface EditAliasFormProps {
  readonly shown: ObjectView
  readonly onDone: () => void
}

export function EditAliasForm({ shown, onDone }: EditAliasFormProps) {
  const client = useQueryClient()
  const addToDraft = useAddToDraft()
  const initial = useMemo(() => readAlias(shown), [shown])
  const form = useForm({
    name: `edit-alias.${shown.name}`,
    initial,
    schema: aliasSchema(),
    fieldOf,
    reread: rereads({ path: modelPath(shown.name), answer: objectViewSchema, read: readAlias }),
    async submit(draft, mode, ifMatch) {
      const body = diffAlias(form.initial, draft)
      if (mode === 'draft') {
        await addToDraft({ kind: 'models', name: shown.name, change: 'patch', object: body })
        return onDone()
      }
      const path = modelPath(shown.name)
      await callApi({ method: 'PATCH', path, body, ifMatch, answer: objectViewSchema })
      showToast(t('models.changed', { name: shown.name }))
      await client.invalidateQueries()
      onDone()
    },
  })
  return (
    <FormFrame form={form} submit={t('models.edit.submit')} onCancel={onDone} canDraft>
      <AliasFields form={form} />
    </FormFrame>
  )
}

interface DeleteAliasDialogProps {
  readonly name: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onDeleted: () => void
}

export function DeleteAliasDialog({ name, isOpen, onClose, onDeleted }: DeleteAliasDialogProps) {
  const client = useQueryClient()
  const addToDraft = useAddToDraft()
  const removal = { kind: 'models', name, change: 'remove' } as const
  const remove = async () => {
    await callApi({ method: 'DELETE', path: modelPath(name), answer: objectViewSchema })
    showToast(t('models.deleted', { name }))
    onDeleted()
    await client.invalidateQueries()
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      isDangerous
      onConfirm={remove}
      onDraft={() => addToDraft(removal)}
      title={t('models.delete.title', { name })}
      confirm={t('models.delete')}
    >
      <p>{t('models.delete.why')}</p>
      <ChangeEffects change={removal} />
    </ConfirmDialog>
  )
}
