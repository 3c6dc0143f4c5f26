import { z } from 'zod'
import { withFact, withFormat } from '../kit/schema/input-fact.ts'
import { createDurationSchema } from '../kit/time/duration-schema.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../kit/time/time-units.ts'
import { type AlertKind, type Severity, severities } from './alert.ts'

/** The scopes of error rates and latencies: each channel, each model, or the whole installation. */
const trafficScopes = ['channel', 'model', 'installation'] as const
export type TrafficScope = (typeof trafficScopes)[number]

interface RuleTerms {
  readonly name: string
  /** Undefined if each alert has the default severity of its kind. */
  readonly severity: Severity | undefined
  /** The minimum interval between two reports of the same alert. Undefined for that of the section or of the kind. */
  readonly repeatMs: number | undefined
  /** Names of channels, or patterns with stars. Undefined for all channels. `models` works the same way. */
  readonly channels: readonly string[] | undefined
  readonly models: readonly string[] | undefined
}

/** The terms that both traffic rules share. A rule does not judge a window with fewer requests than `minRequests`. */
export interface TrafficTerms extends RuleTerms {
  readonly by: TrafficScope
  readonly windowMs: number
  readonly minRequests: number
}

export interface ErrorRateRule extends TrafficTerms {
  readonly kind: 'error-rate'
  /** The failure rate in percent above which an alert opens, and the rate below which it ends. */
  readonly above: number
  readonly below: number
}

export interface LatencyRule extends TrafficTerms {
  readonly kind: 'latency'
  readonly of: 'first-token' | 'total'
  readonly percentile: number
  readonly aboveMs: number
  readonly belowMs: number
}

export type AlertRule =
  | ErrorRateRule
  | LatencyRule
  /**
   * `forMs`: the time that nothing of a channel has served before the alert opens. The channel must serve again for
   * the same time before the alert ends.
   */
  | (RuleTerms & { readonly kind: 'channel-down'; readonly forMs: number })
  | (RuleTerms & { readonly kind: 'key-expiry' | 'certificate-expiry'; readonly beforeMs: number })
  /** `withinMs`: how recent a request for the model must be for the model to be in use. */
  | (RuleTerms & { readonly kind: 'unpriced'; readonly withinMs: number })
  | (RuleTerms & { readonly kind: 'credential' | 'model' | 'budget' | 'disk' })

export type TrafficRule = ErrorRateRule | LatencyRule

/**
 * Hysteresis: an alert ends only this far below its threshold, so that a value that wavers around it opens one alert.
 */
const HYSTERESIS = 0.8

function defaultBelow(above: number): number {
  return above * HYSTERESIS
}

const nameError = withFormat(
  'must be a name of letters, digits, ".", "_" and "-", 64 at most',
  'name_of_word_characters',
)
const nameSchema = z.string({ error: nameError }).regex(/^[\w.-]{1,64}$/, { error: nameError })
const patternsError = 'must be a list of names, such as ["primary", "gpt-*"]'
const patternsSchema = z
  .array(z.string({ error: patternsError }).min(1, { error: patternsError }).max(256), {
    error: patternsError,
  })
  .min(1, { error: patternsError })
  .max(100, { error: 'must have 100 names at most' })

const common = {
  name: nameSchema.optional(),
  off: z.literal(true, { error: 'must be true, or be left out' }).optional(),
  severity: z.enum(severities, { error: `must be one of ${severities.join(', ')}` }).optional(),
  repeat: createDurationSchema({ minMs: MINUTE_MS, maxMs: 30 * DAY_MS, range: '1m and 30d' }).optional(),
}
const filters = { channels: patternsSchema.optional(), models: patternsSchema.optional() }

const countError = 'must be a whole number from 1 to 1000000'
const traffic = {
  ...common,
  ...filters,
  by: z.enum(trafficScopes, { error: `must be one of ${trafficScopes.join(', ')}` }).optional(),
  window: createDurationSchema({ minMs: MINUTE_MS, maxMs: DAY_MS, range: '1m and 1d' }).optional(),
  min_requests: z
    .int({ error: countError })
    .min(1, { error: countError })
    .max(1_000_000, { error: countError })
    .optional(),
}
const percentError = 'must be a percentage above 0 and below 100'
const percentSchema = z
  .number({ error: percentError })
  .gt(0, { error: percentError })
  .lt(100, { error: percentError })
const thresholdSchema = createDurationSchema({ minMs: 1, maxMs: HOUR_MS, range: '1ms and 1h' })
const belowError = withFact('must not be more than "above"', {
  code: 'above_field',
  values: { field: 'above' },
})

const errorRateSchema = z
  .strictObject({
    ...traffic,
    kind: z.literal('error-rate'),
    above: percentSchema.optional(),
    below: percentSchema.optional(),
  })
  .refine(({ above = DEFAULT_ERROR_PERCENT, below = above }) => below <= above, {
    path: ['below'],
    error: belowError,
  })

const latencySchema = z
  .strictObject({
    ...traffic,
    kind: z.literal('latency'),
    of: z.enum(['first-token', 'total'], { error: 'must be first-token or total' }).optional(),
    percentile: percentSchema.optional(),
    above: thresholdSchema,
    below: thresholdSchema.optional(),
  })
  .refine(({ above, below = above }) => below <= above, { path: ['below'], error: belowError })

const spanSchema = createDurationSchema({ minMs: HOUR_MS, maxMs: 365 * DAY_MS, range: '1h and 365d' })

/** An entry of `alerts.rules`. */
export const alertRuleSchema = z
  .discriminatedUnion(
    'kind',
    [
      errorRateSchema,
      latencySchema,
      z.strictObject({
        ...common,
        kind: z.literal('channel-down'),
        channels: filters.channels,
        for: createDurationSchema({ minMs: 1_000, maxMs: DAY_MS, range: '1s and 1d' }).optional(),
      }),
      z.strictObject({
        ...common,
        kind: z.enum(['key-expiry', 'certificate-expiry']),
        before: spanSchema.optional(),
      }),
      z.strictObject({
        ...common,
        kind: z.literal('unpriced'),
        models: filters.models,
        within: spanSchema.optional(),
      }),
      z.strictObject({ ...common, kind: z.enum(['credential', 'model']), channels: filters.channels }),
      z.strictObject({ ...common, kind: z.enum(['budget', 'disk']) }),
    ],
    { error: 'must be a rule with its kind, such as { kind: error-rate, above: 20 }' },
  )
  .transform((input): { readonly rule: AlertRule; readonly isOff: boolean } => ({
    rule: readRule(input),
    isOff: input.off === true,
  }))

type RuleInput =
  | z.output<typeof errorRateSchema | typeof latencySchema>
  | {
      readonly kind: Exclude<AlertKind, TrafficRule['kind']>
      readonly name?: string | undefined
      readonly severity?: Severity | undefined
      readonly repeat?: number | undefined
      readonly channels?: readonly string[] | undefined
      readonly models?: readonly string[] | undefined
      readonly for?: number | undefined
      readonly before?: number | undefined
      readonly within?: number | undefined
    }

const DEFAULT_ERROR_PERCENT = 50
const DEFAULT_PERCENTILE = 95
const DEFAULT_WINDOW_MS = 5 * MINUTE_MS
const DEFAULT_MIN_REQUESTS = 20
const DEFAULT_KEY_WARNING_MS = 7 * DAY_MS
const DEFAULT_CERTIFICATE_WARNING_MS = 21 * DAY_MS

function readRule(input: RuleInput): AlertRule {
  const terms: RuleTerms = {
    name: input.name ?? input.kind,
    severity: input.severity,
    repeatMs: input.repeat,
    channels: input.channels,
    models: input.models,
  }
  switch (input.kind) {
    case 'error-rate': {
      const { above = DEFAULT_ERROR_PERCENT } = input
      return {
        ...terms,
        ...readTraffic(input),
        kind: input.kind,
        above,
        below: input.below ?? defaultBelow(above),
      }
    }
    case 'latency':
      return {
        ...terms,
        ...readTraffic(input),
        kind: input.kind,
        of: input.of ?? 'first-token',
        percentile: input.percentile ?? DEFAULT_PERCENTILE,
        aboveMs: input.above,
        belowMs: input.below ?? defaultBelow(input.above),
      }
    case 'channel-down':
      return { ...terms, kind: input.kind, forMs: input.for ?? MINUTE_MS }
    case 'key-expiry':
      return { ...terms, kind: input.kind, beforeMs: input.before ?? DEFAULT_KEY_WARNING_MS }
    case 'certificate-expiry':
      return { ...terms, kind: input.kind, beforeMs: input.before ?? DEFAULT_CERTIFICATE_WARNING_MS }
    case 'unpriced':
      return { ...terms, kind: input.kind, withinMs: input.within ?? DAY_MS }
    case 'credential':
    case 'model':
    case 'budget':
    case 'disk':
      return { ...terms, kind: input.kind }
  }
}

function readTraffic(
  input: z.output<typeof errorRateSchema | typeof latencySchema>,
): Pick<TrafficTerms, 'by' | 'windowMs' | 'minRequests'> {
  return {
    by: input.by ?? 'channel',
    windowMs: input.window ?? DEFAULT_WINDOW_MS,
    minRequests: input.min_requests ?? DEFAULT_MIN_REQUESTS,
  }
}

/**
 * The rules for the kinds that the configuration does not mention. Latency has no default rule, as only an operator
 * can say which latency is too long.
 */
export const defaultAlertRules: readonly AlertRule[] = (
  [
    'channel-down',
    'credential',
    'model',
    'budget',
    'disk',
    'key-expiry',
    'certificate-expiry',
    'unpriced',
  ] as const
)
  .map((kind): AlertRule => readRule({ kind }))
  .concat(readRule({ kind: 'error-rate' }))
