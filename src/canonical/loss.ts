import { omitUndefined } from '../kit/json/omit-undefined.ts'

/**
 * Every feature of a request or an answer that some format cannot carry. The names are those of the canonical form.
 * Each format maps them to its own fields for the caller.
 */
export const lossFeatures = [
  'allowed-tools',
  'audio',
  'block-order',
  'cache-mark',
  'choices',
  'citations',
  'custom-tool',
  'document',
  'end-user',
  'foreign-block',
  'foreign-field',
  'foreign-tool',
  'frequency-penalty',
  'image',
  'image-detail',
  'json-output',
  'logit-bias',
  'logprobs',
  'max-output-tokens',
  'participant-name',
  'parallel-tool-calls',
  'presence-penalty',
  'reasoning-budget',
  'reasoning-display',
  'reasoning-effort',
  'redacted-thinking',
  'refusal',
  'sampling',
  'search-result',
  'seed',
  'service-tier',
  'stop-reason',
  'stop-sequences',
  'system-position',
  'thinking',
  'thinking-mode',
  'thinking-signature',
  'token-count',
  'tool-choice',
  'tool-input',
  'tool-name',
  'tool-result-content',
  'tool-result-error',
  'tool-strict',
  'top-k',
  'turn-order',
  'usage-detail',
  'verbosity',
  'video',
] as const
export type LossFeature = (typeof lossFeatures)[number]

/**
 * `dropped`: removed. `approximated`: replaced by the nearest equivalent. `defaulted`: the target requires a field
 * that is absent.
 */
export type LossKind = 'dropped' | 'approximated' | 'defaulted'

export interface Loss {
  readonly feature: LossFeature
  readonly kind: LossKind
  /** The field's name in its own format, such as `tools.defer_loading`, where the feature is too coarse. */
  readonly field?: string
}

/**
 * The limit of listed fields for one feature and kind. A caller may send tens of thousands of fields that only its
 * own format knows.
 */
const MAX_FIELDS = 1_000

/** Gathers losses. Each feature and field is listed once. One feature and kind lists at most a thousand fields. */
export interface LossList {
  /** Records that a feature is not carried, or is carried in another form. */
  lose(feature: LossFeature, kind: LossKind, field?: string): void
  /** Records fields that the target does not have: all of `fields`, and those of `named` that the caller sent. */
  drop(fields: readonly string[], named?: Readonly<Record<string, unknown>>): void
  readonly all: readonly Loss[]
}

export function createLossList(): LossList {
  /** The recorded fields by feature and kind. */
  const seen = new Map<string, Set<string | undefined>>()
  const all: Loss[] = []
  function lose(feature: LossFeature, kind: LossKind, field?: string): void {
    const key = `${feature} ${kind}`
    const fields = seen.get(key) ?? new Set()
    if (fields.size >= MAX_FIELDS || fields.has(field)) return
    seen.set(key, fields.add(field))
    all.push({ feature, kind, ...(field !== undefined && { field }) })
  }
  return {
    all,
    lose,
    drop(fields, named = {}) {
      for (const name of [...Object.keys(omitUndefined(named)), ...fields])
        lose('foreign-field', 'dropped', name)
    },
  }
}

/** The result of a format's `write`: the value on the wire, and the losses. */
export interface Written<Value> {
  readonly value: Value
  readonly losses: readonly Loss[]
}
