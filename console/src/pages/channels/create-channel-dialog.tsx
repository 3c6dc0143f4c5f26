import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef } from 'react'
import { channelViewSchema } from '../../../../src/admin/config/config-contract.ts'
import type { ProviderView } from '../../../../src/admin/models/provider-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { useAddToDraft } from '../../changes/open-draft.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { SelectInput, TextInput } from '../../forms/inputs.tsx'
import { type Form, useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { ChannelFields } from './channel-fields.tsx'
import {
  type ChannelDraft,
  channelFieldOf,
  channelSchema,
  channelSecrets,
  emptyDraft,
  writeChannel,
} from './channel-form.ts'
import { findFreeChannelName, providersQuery } from './channel-queries.ts'
import { ChannelTrial } from './channel-trial.tsx'
import { useExplainAddress } from './private-addresses.ts'

interface CreateChannelDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function CreateChannelDialog({ isOpen, onClose }: CreateChannelDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t('channels.add')}
      description={t('channels.add.why')}
      isSticky
    >
      <CreateChannel onCancel={onClose} />
    </Dialog>
  )
}

interface CreateChannelProps {
  readonly onCancel: () => void
}

/** The form once the providers are read; without them there is nothing to choose from. */
function CreateChannel({ onCancel }: CreateChannelProps) {
  const providers = useQuery(providersQuery)
  if (providers.isPending) return <Skeleton rows={3} />
  if (providers.isError)
    return <ErrorState error={providers.error} onRetry={() => void providers.refetch()} />
  return <CreateChannelForm providers={providers.data} onCancel={onCancel} />
}

interface CreateChannelFormProps extends CreateChannelProps {
  readonly providers: readonly ProviderView[]
}

function CreateChannelForm({ providers, onCancel }: CreateChannelFormProps) {
  const client = useQueryClient()
  const navigate = useNavigate({ from: '/channels' })
  const addToDraft = useAddToDraft()
  const form = useForm({
    name: 'create-channel',
    initial: emptyDraft,
    secrets: [...channelSecrets],
    schema: channelSchema({ providers, hasKey: false }),
    fieldOf: channelFieldOf,
    explain: useExplainAddress(),
    async submit(draft, mode) {
      const provider = providers.find(({ id }) => id === draft.provider)
      if (provider === undefined) return
      const body = writeChannel(draft, provider)
      if (mode === 'draft') {
        await addToDraft({ kind: 'channels', name: draft.name.trim(), change: 'create', object: body })
        return onCancel()
      }
      const { name } = await callApi({ method: 'POST', path: '/channels', body, answer: channelViewSchema })
      showToast(t('channels.added', { name }))
      await client.invalidateQueries()
      await navigate({ to: '/channels/$name', params: { name }, search: {} })
    },
  })
  const { values } = form
  const chooseProvider = useProviderChoice(form)
  const provider = providers.find(({ id }) => id === values.provider)
  return (
    <FormFrame form={form} submit={t('channels.add.submit')} onCancel={onCancel} canDraft>
      <SelectInput
        field={{ ...form.bind('provider'), onChange: (id) => void chooseProvider(id) }}
        label={t('channels.provider')}
        choices={[
          { value: '', label: t('channels.provider.choose') },
          ...providers.map(({ id }) => ({ value: id, label: id })),
        ]}
      />
      {provider !== undefined && (
        <>
          <TextInput field={form.bind('name')} label={t('common.name')} hint={t('channels.name.hint')} />
          <ChannelFields form={form} provider={provider} />
          <ChannelTrial form={form} provider={provider} />
        </>
      )}
    </FormFrame>
  )
}

/** Resets the form for another provider. The name is a suggestion until the user types another. */
function useProviderChoice({ values, set }: Form<ChannelDraft>): (id: string) => Promise<void> {
  const client = useQueryClient()
  const suggested = useRef('')
  const typed = useRef(values)
  typed.current = values
  return async (id) => {
    set('provider', id)
    for (const field of ['api_key', 'base_url', 'format'] as const) set(field, '')
    set('credentials', {})
    const before = suggested.current
    if (values.name !== before) return
    const name = id === '' ? '' : await findFreeChannelName(id, client)
    // The user may have typed a name or chosen another provider in the meantime.
    if (typed.current.name !== before || typed.current.provider !== id) return
    suggested.current = name
    set('name', name)
  }
}
