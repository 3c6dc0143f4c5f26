import { z } from 'zod'
import type { ProviderView } from '../../../../src/admin/models/provider-contract.ts'
import { amountOf, optionalAmount } from '../../forms/amounts.ts'
import { readAmount } from '../../forms/read-amount.ts'
import { writeAmount } from '../../forms/write-amount.ts'
import { t } from '../../language/language.ts'
import { type ChannelSettings, writeModels } from './channel-settings.ts'

/** A channel as typed into the form. */
export type ChannelDraft = {
  readonly name: string
  readonly provider: string
  readonly base_url: string
  readonly format: string
  readonly api_key: string
  readonly credentials: Readonly<Record<string, string>>
  readonly listed: boolean
  readonly models: readonly string[]
  readonly priority: string
  readonly weight: string
  readonly concurrency: string
  readonly allow_private: boolean
}

export const emptyDraft: ChannelDraft = {
  name: '',
  provider: '',
  base_url: '',
  format: '',
  api_key: '',
  credentials: {},
  listed: true,
  models: [],
  priority: '',
  weight: '',
  concurrency: '',
  allow_private: false,
}

/** The fields that are never stored in the browser. */
export const channelSecrets = ['api_key', 'credentials'] as const

export function draftOf(name: string, provider: string, settings: ChannelSettings): ChannelDraft {
  const { baseUrl, format, credentials, models, priority, weight, concurrency, allowPrivate } = settings
  return {
    name,
    provider,
    base_url: baseUrl ?? '',
    format: format ?? '',
    api_key: '',
    credentials,
    listed: models === undefined,
    models: models ?? [],
    allow_private: allowPrivate,
    priority: String(priority),
    weight: writeAmount(weight),
    concurrency: concurrency === undefined ? '' : String(concurrency),
  }
}

interface Rules {
  readonly providers: readonly ProviderView[]
  /** Whether the channel has a key already. It stays if no other key is typed. */
  readonly hasKey: boolean
}

/** Validates the form by what the provider requires. The gateway checks the rest. */
export function channelSchema({ providers, hasKey }: Rules) {
  const priority = z.string().refine((text) => text.trim() === '' || !Number.isNaN(readAmount(text)), {
    error: t('form.number'),
  })
  return z
    .object({
      name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/, { error: t('channels.name.rule') }),
      provider: z.string().min(1, { error: t('channels.provider.choose') }),
      base_url: z.string(),
      format: z.string(),
      api_key: z.string().trim(),
      credentials: z.record(z.string(), z.string()),
      listed: z.boolean(),
      models: z.array(z.string()),
      allow_private: z.boolean(),
      priority,
      weight: optionalAmount(),
      concurrency: optionalAmount({ isWhole: true }),
    })
    .superRefine((draft, context) => {
      const require = (path: string[]) =>
        context.addIssue({ code: 'custom', path, message: t('form.required') })
      const provider = providers.find(({ id }) => id === draft.provider)
      if (provider === undefined) return
      if (provider.base_url_by === 'channel' && draft.base_url.trim() === '') require(['base_url'])
      if (provider.key === 'required' && !hasKey && draft.api_key === '') require(['api_key'])
      if (isNamingModels(provider, draft) && draft.models.length === 0) require(['models'])
      for (const { name, required } of provider.settings)
        if (required && (draft.credentials[name] ?? '') === '') require(['credentials', name])
    })
}

/** Whether the user must name the models, as no list of them exists. */
export function isNamingModels(
  { lists_models: lists, models }: Pick<ProviderView, 'lists_models' | 'models'>,
  { listed }: Pick<ChannelDraft, 'listed'>,
): boolean {
  return !listed || (!lists && models === null)
}

export type ChannelObject = Readonly<Record<string, unknown>>

/** The channel in the syntax of the configuration. Empty fields are left out. */
export function writeChannel(draft: ChannelDraft, provider: ProviderView): ChannelObject {
  const credentials = Object.entries(draft.credentials).filter(([, value]) => value.trim() !== '')
  const fields = {
    name: draft.name,
    provider: draft.provider,
    base_url: draft.base_url.trim() || undefined,
    format: draft.format || undefined,
    api_key: draft.api_key.trim() || undefined,
    credentials: credentials.length === 0 ? undefined : Object.fromEntries(credentials),
    models: modelsOf(draft, provider),
    priority: draft.priority.trim() === '' ? undefined : readAmount(draft.priority),
    weight: amountOf(draft.weight),
    concurrency: amountOf(draft.concurrency),
    allow_private: draft.allow_private || undefined,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/**
 * The given names or else all: those of the provider's list if it has one, or else the known models of the provider.
 */
function modelsOf(draft: ChannelDraft, provider: ProviderView) {
  if (isNamingModels(provider, draft)) return writeModels(draft.models)
  return provider.lists_models ? '*' : undefined
}

/** The field of the form for a parameter that the gateway rejects. */
export function channelFieldOf(param: string): string {
  const [first = ''] = param.split(/[.[]/)
  return first === 'credentials' ? param : first
}
