import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import {
  channelTrialSchema,
  type ChannelTrial as TrialView,
} from '../../../../src/admin/certification/trial-contract.ts'
import type { ProviderView } from '../../../../src/admin/models/provider-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { SelectInput } from '../../forms/inputs.tsx'
import type { Form } from '../../forms/use-form.ts'
import { writeListFault } from '../../health/list-fault.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { Banner } from '../../ui/states.tsx'
import { CertificationResults } from './certification-results.tsx'
import { type ChannelDraft, type ChannelObject, isNamingModels, writeChannel } from './channel-form.ts'

interface ChannelTrialProps {
  readonly form: Form<ChannelDraft>
  readonly provider: ProviderView
  /** The channel that the form changes, and the typed change. Undefined for a new channel. */
  readonly change?: { readonly of: string; readonly body: ChannelObject }
}

interface FoundTrial {
  readonly channel: ChannelObject
  readonly result: TrialView
}

/** Tests the typed channel before it is saved. The result is shown until the user types something else. */
export function ChannelTrial({ form, provider, change }: ChannelTrialProps) {
  const [model, setModel] = useState('')
  const [last, setLast] = useState<FoundTrial>()
  const channel = writeChannel(form.values, provider)
  const result = last !== undefined && isSame(last.channel, channel) ? last.result : undefined
  const isNaming = isNamingModels(provider, form.values)
  const isListed = !isNaming && provider.lists_models
  const suggestedNames = isNaming ? publicNames(form.values.models) : (provider.models ?? [])
  const names = isListed ? (result?.models ?? []) : suggestedNames
  const first = isListed ? undefined : names[0]
  const triedModel = names.includes(model) ? model : first
  const trial = useMutation({
    mutationFn: () => tryChannel(change?.body ?? channel, { channel: change?.of, model: triedModel }),
    onSuccess: (answer) => setLast({ channel, result: answer }),
  })
  const title = t(change === undefined ? 'channels.trial' : 'channels.trial.change')
  return (
    <section aria-label={title} className="space-y-3 rounded-lg border border-line px-3 py-2.5">
      <div>
        <h3 className="font-medium">{title}</h3>
        <p className="text-[0.8125rem] text-muted">
          {t(change === undefined ? 'channels.trial.why' : 'channels.trial.change.why')}
        </p>
      </div>
      {names.length > (isListed ? 0 : 1) && (
        <SelectInput
          field={{ name: 'trial-model', value: triedModel ?? '', error: undefined, onChange: setModel }}
          label={t('channels.trial.model')}
          choices={[
            ...(isListed ? [{ value: '', label: t('channels.trial.model.none') }] : []),
            ...names.map((name) => ({ value: name, label: name })),
          ]}
        />
      )}
      <Button
        icon="play"
        isBusy={trial.isPending}
        onClick={() => void form.attempt(() => trial.mutateAsync())}
      >
        {t('channels.trial.start')}
      </Button>
      {result !== undefined && !trial.isPending && <Found trial={result} />}
    </section>
  )
}

function tryChannel(
  body: ChannelObject,
  query: { readonly channel: string | undefined; readonly model: string | undefined },
): Promise<TrialView> {
  return callApi({
    method: 'POST',
    path: '/channel-trials',
    query,
    body,
    answer: channelTrialSchema,
  })
}

/** The result. It scrolls into view, as it is below the typed fields. */
function Found({ trial }: { readonly trial: TrialView }) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    ref.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <div ref={ref} className="scroll-mb-20 space-y-3">
      <Banner tone={trial.works ? 'good' : 'bad'}>{describeTrial(trial)}</Banner>
      <CertificationResults results={trial.results} />
    </div>
  )
}

function describeTrial({ model_list: list, model, models, ...trial }: TrialView): string {
  if (list?.read === false)
    return t('channels.trial.unlisted', {
      reason: writeListFault({ message: list.reason ?? '', fact: list.fact }),
    })
  if (model === null) {
    const listed = t('channels.trial.listed', { count: models.length + trial.more_models })
    return `${listed} ${t(trial.credential_accepted ? 'channels.trial.accepted' : 'channels.trial.choose')}`
  }
  const [first] = trial.results
  if (trial.works)
    return t(first?.outcome === 'works' ? 'channels.trial.works' : 'channels.trial.vectors', { model })
  const finding = first === undefined ? '' : t(`certification.finding.${first.finding}`, first.details)
  return t('channels.trial.fails', { model, finding })
}

/** The public names: the parts before `=`. */
function publicNames(models: readonly string[]): readonly string[] {
  return models.map((written) => written.split('=')[0]?.trim() ?? '')
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}
