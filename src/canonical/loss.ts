import { omitUndefined } from '../kit/json/omit-undefined.ts'

/**
 * Everything of a request or an answer that some format cannot carry. The names are those of the canonical form;
 * each format maps them to its own fields for the caller.
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
 * `dropped`: gone. `approximated`: replaced by the nearest. `defaulted`: the target requires a field that is absent.
 */
export type LossKind = 'dropped' | 'approximated' | 'defaulted'

export interface Loss {
  readonly feature: LossFeature
  readonly kind: LossKind
  /** The field's name in the format that knows it, such as `tools.defer_loading`, where the feature is too coarse. */
  readonly field?: string
}

/**
 * The most fields listed for one feature and kind: a caller may send tens of thousands that only its own format knows.
 */
const MAX_FIELDS = 1_000

/** Gathers losses, each feature and field once, and of one feature and kind no more than a thousand fields. */
export interface LossList {
  /** Declares that a feature is carried otherwise than it was given, or not at all. */
  lose(feature: LossFeature, kind: LossKind, field?: string): void
  /** Declares fields that the target does not have: these, and of the named values those that were sent. */
  drop(fields: readonly string[], named?: Readonly<Record<string, unknown>>): void
  readonly all: readonly Loss[]
}

export function createLossList(): LossList {
  /** The fields seen, by feature and kind. */
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

/** The result of a format's `write`: the value on the wire, and what it could not carry. */
export interface Written<Value> {
  readonly value: Value
  readonly losses: readonly Loss[]
}
