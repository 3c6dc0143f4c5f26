import { z } from 'zod'
import type { ChannelView } from '../../../../src/admin/config/config-contract.ts'

const DEFAULT_PRIORITY = 0
const DEFAULT_WEIGHT = 1

const text = z.string().optional().catch(undefined)
const texts = z.record(z.string(), z.string())

const settingsSchema = z.object({
  base_url: text,
  format: text,
  api_key: text,
  api_keys: z.array(z.string()).optional().catch(undefined),
  credentials: texts.optional().catch(undefined),
  models: z
    .union([z.literal('*'), z.array(z.string()), texts])
    .optional()
    .catch(undefined),
  priority: z.number().optional().catch(undefined),
  weight: z.number().optional().catch(undefined),
  concurrency: z.number().optional().catch(undefined),
  allow_private: z.boolean().optional().catch(undefined),
})

/** The settings of a channel that the pages show and change. All others stay unchanged. */
export interface ChannelSettings {
  readonly baseUrl: string | undefined
  readonly format: string | undefined
  /** The keys as responses show them: masked. */
  readonly keys: readonly string[]
  readonly credentials: Readonly<Record<string, string>>
  /** Entries `public` or `public=upstream`. Undefined if the channel serves what its provider lists. */
  readonly models: readonly string[] | undefined
  readonly priority: number
  readonly weight: number
  readonly concurrency: number | undefined
  readonly allowPrivate: boolean
}

export function readChannelSettings(view: ChannelView): ChannelSettings {
  const settings = settingsSchema.parse(view)
  return {
    baseUrl: settings.base_url,
    format: settings.format,
    keys: settings.api_keys ?? (settings.api_key === undefined ? [] : [settings.api_key]),
    credentials: settings.credentials ?? {},
    models: readModels(settings.models),
    priority: settings.priority ?? DEFAULT_PRIORITY,
    weight: settings.weight ?? DEFAULT_WEIGHT,
    concurrency: settings.concurrency,
    allowPrivate: settings.allow_private ?? false,
  }
}

function readModels(models: z.output<typeof settingsSchema>['models']): readonly string[] | undefined {
  if (models === undefined || models === '*') return undefined
  if (Array.isArray(models)) return models
  return Object.entries(models).map(([name, upstream]) => (name === upstream ? name : `${name}=${upstream}`))
}

/** Models in the syntax of the configuration: a list, or a map if a public name differs from the upstream name. */
export function writeModels(words: readonly string[]): readonly string[] | Readonly<Record<string, string>> {
  const pairs = words.map((word): readonly [string, string] => {
    const split = word.indexOf('=')
    return split < 1 ? [word, word] : [word.slice(0, split), word.slice(split + 1)]
  })
  return pairs.every(([name, upstream]) => name === upstream) ? [...words] : Object.fromEntries(pairs)
}
