import { useQueryClient } from '@tanstack/react-query'
import { type ChannelView, channelViewSchema } from '../../../../src/admin/config/config-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { explainError } from '../../api/describe-error.ts'
import { useSingleMutation } from '../../api/use-single-mutation.ts'
import { ChangeEffects } from '../../changes/change-effects.tsx'
import { useAddToDraft } from '../../changes/open-draft.ts'
import { t } from '../../language/language.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { certificationPlanQuery } from './certification-queries.ts'
import { channelPath } from './channel-queries.ts'

/** Takes a channel out of rotation or puts it back. Both can be undone at once. */
export function useSwitching({ name }: Pick<ChannelView, 'name'>) {
  const client = useQueryClient()
  const flip = async (isDisabled: boolean) => {
    const path = `${channelPath(name)}/${isDisabled ? 'disable' : 'enable'}`
    await callApi({ method: 'POST', path, body: {}, answer: channelViewSchema })
    // A channel that is out of rotation has no plan. The plan of a channel that is back is read when its button
    // appears.
    const [scope, part] = certificationPlanQuery(name).queryKey
    await client.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[0] !== scope || queryKey[1] !== part,
    })
  }
  const fail = (error: unknown) => showToast(explainError(error), { tone: 'bad' })
  return useSingleMutation({
    mutationFn: flip,
    onSuccess: (_done, isDisabled) =>
      showToast(t(isDisabled ? 'channels.disabled.done' : 'channels.enabled.done', { name }), {
        action: { label: t('channels.undo'), run: () => void flip(!isDisabled).catch(fail) },
      }),
    onError: fail,
  })
}

interface DeleteChannelDialogProps {
  readonly name: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onDeleted: () => void
}

export function DeleteChannelDialog({ name, isOpen, onClose, onDeleted }: DeleteChannelDialogProps) {
  const client = useQueryClient()
  const addToDraft = useAddToDraft()
  const removal = { kind: 'channels', name, change: 'remove' } as const
  const remove = async () => {
    await callApi({ method: 'DELETE', path: channelPath(name), answer: channelViewSchema })
    showToast(t('channels.deleted', { name }))
    onDeleted()
    await client.invalidateQueries({ queryKey: ['channels', 'list'] })
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      isDangerous
      onConfirm={remove}
      onDraft={() => addToDraft(removal)}
      title={t('channels.delete.title', { name })}
      confirm={t('channels.delete')}
    >
      <p>{t('channels.delete.why')}</p>
      <ChangeEffects change={removal} />
    </ConfirmDialog>
  )
}
