import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type ChannelView, channelViewSchema } from '../../../../src/admin/config/config-contract.ts'
import type { ProviderView } from '../../../../src/admin/models/provider-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { useAddToDraft } from '../../changes/open-draft.ts'
import { writePatch } from '../../changes/write-patch.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { rereads } from '../../forms/submit-for-now.ts'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { showToast } from '../../ui/toasts.tsx'
import { ChannelFields } from './channel-fields.tsx'
import {
  type ChannelDraft,
  type ChannelObject,
  channelFieldOf,
  channelSchema,
  channelSecrets,
  draftOf,
  writeChannel,
} from './channel-form.ts'
import { channelPath } from './channel-queries.ts'
import { readChannelSettings } from './channel-settings.ts'
import { ChannelTrial } from './channel-trial.tsx'
import { useExplainAddress } from './private-addresses.ts'

interface EditChannelFormProps {
  readonly shown: ChannelView
  readonly provider: ProviderView
  readonly onDone: () => void
}

/** Sends only the changed fields, so that settings without a field here stay unchanged. */
export function EditChannelForm({ shown, provider, onDone }: EditChannelFormProps) {
  const client = useQueryClient()
  const addToDraft = useAddToDraft()
  const settings = useMemo(() => readChannelSettings(shown), [shown])
  const form = useForm({
    name: `edit-channel.${shown.name}`,
    initial: useMemo(() => draftOf(shown.name, shown.provider, settings), [shown, settings]),
    secrets: [...channelSecrets],
    schema: channelSchema({ providers: [provider], hasKey: settings.keys.length > 0 }),
    fieldOf: channelFieldOf,
    explain: useExplainAddress(),
    reread: rereads({
      path: channelPath(shown.name),
      answer: channelViewSchema,
      read: (view) => draftOf(view.name, view.provider, readChannelSettings(view)),
    }),
    async submit(draft, mode, ifMatch) {
      const body = changeOf(draft)
      if (mode === 'draft') {
        await addToDraft({ kind: 'channels', name: shown.name, change: 'patch', object: body })
        return onDone()
      }
      const path = channelPath(shown.name)
      await callApi({ method: 'PATCH', path, body, ifMatch, answer: channelViewSchema })
      showToast(t('channels.changed', { name: shown.name }))
      await client.invalidateQueries()
      onDone()
    },
  })
  const changeOf = (draft: ChannelDraft) =>
    replaceKeys(
      writePatch(writeChannel(form.initial, provider), writeChannel(draft, provider)),
      settings.keys,
    )
  return (
    <FormFrame form={form} submit={t('channels.edit.submit')} onCancel={onDone} canDraft>
      <ChannelFields form={form} provider={provider} keys={settings.keys} />
      <ChannelTrial
        form={form}
        provider={provider}
        change={{ of: shown.name, body: changeOf(form.values) }}
      />
    </FormFrame>
  )
}

/** Replaces several keys with one. */
function replaceKeys(patch: ChannelObject, keys: readonly string[]): ChannelObject {
  return patch['api_key'] === undefined || keys.length < 2 ? patch : { ...patch, api_keys: null }
}
