import type { ReactNode } from 'react'
import type { ChannelView } from '../../../../src/admin/config/config-contract.ts'
import type { ProviderView } from '../../../../src/admin/models/provider-contract.ts'
import { writeCount } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/badge.tsx'
import { DetailList } from '../../ui/card.tsx'
import { Absent } from '../../ui/text.tsx'
import { readChannelSettings } from './channel-settings.ts'

const MAX_MODELS_SHOWN = 40

interface ChannelFactsProps {
  readonly shown: ChannelView
  readonly provider: ProviderView | undefined
}

/** The configuration of a channel. */
export function ChannelFacts({ shown, provider }: ChannelFactsProps) {
  const settings = readChannelSettings(shown)
  const { keys, credentials, models, concurrency } = settings
  const rows: (readonly [string, ReactNode])[] = [
    [t('channels.provider'), shown.provider],
    [t('channels.address'), settings.baseUrl ?? provider?.base_url ?? <Absent key="address" />],
    [t('channels.format'), settings.format ?? provider?.formats[0] ?? <Absent key="format" />],
    [
      t('channels.keys'),
      keys.length === 0 ? <Absent key="keys" /> : <code key="keys">{keys.join(', ')}</code>,
    ],
    ...Object.entries(credentials).map(([name, value]): readonly [string, ReactNode] => [
      name,
      <code key={name}>{value}</code>,
    ]),
    [t('channels.priority'), writeCount(settings.priority)],
    [t('channels.weight'), writeCount(settings.weight)],
    [
      t('channels.concurrency'),
      concurrency === undefined ? t('channels.unlimited') : writeCount(concurrency),
    ],
    [t('owner.label'), t(`owner.${shown.owner}`)],
  ]
  return (
    <section aria-label={t('channels.facts')} className="space-y-3">
      <DetailList rows={rows} />
      <h3 className="font-medium">{t('channels.models')}</h3>
      {models === undefined ? (
        <p className="text-muted">
          {t(provider?.lists_models === false ? 'channels.models.all.known' : 'channels.models.all.hint')}
        </p>
      ) : (
        <Models models={models} />
      )}
    </section>
  )
}

function Models({ models }: { readonly models: readonly string[] }) {
  return (
    <ul className="flex flex-wrap gap-1.5">
      {models.slice(0, MAX_MODELS_SHOWN).map((model) => (
        <li key={model} className="max-w-full">
          <Badge isWhole>{model}</Badge>
        </li>
      ))}
      {models.length > MAX_MODELS_SHOWN && (
        <li className="text-muted">
          {t('channels.models.more', { count: models.length - MAX_MODELS_SHOWN })}
        </li>
      )}
    </ul>
  )
}
