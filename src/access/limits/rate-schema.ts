import { z } from 'zod'
import { withFact } from '../../kit/schema/input-fact.ts'
import { createDurationSchema } from '../../kit/time/duration-schema.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'

/** The limits on requests and tokens per minute and on concurrent requests. An undefined member has no limit. */
export interface RateTerms {
  readonly requestsPerMinute: number | undefined
  /** Tokens of input and output together. */
  readonly tokensPerMinute: number | undefined
  readonly inputTokensPerMinute: number | undefined
  readonly outputTokensPerMinute: number | undefined
  /** The maximum number of requests in flight. */
  readonly concurrency: number | undefined
  /**
   * The requests that may arrive at once before `requestsPerMinute` slows them. Undefined for a tenth of that limit.
   */
  readonly burst: number | undefined
  /** The maximum time that a request waits in the queue. 0 refuses it at once. */
  readonly waitMs: number
}

const MAX_RATE = 1_000_000_000
const countError = `must be a whole number from 1 to ${MAX_RATE}`
const countSchema = z
  .int({ error: countError })
  .min(1, { error: countError })
  .max(MAX_RATE, { error: countError })
const waitSchema = createDurationSchema({ minMs: 0, maxMs: 10 * MINUTE_MS, range: '0s and 10m' })

const BURST_WITHOUT_EFFECT = withFact('has no effect without rpm; give both, or neither', {
  code: 'needs_field',
  values: { field: 'rpm' },
})

/** The field `rate` of a key, a user, a group or a model, and that of the installation. */
export const rateSchema = z
  .strictObject(
    {
      rpm: countSchema.optional(),
      tpm: countSchema.optional(),
      input_tpm: countSchema.optional(),
      output_tpm: countSchema.optional(),
      concurrency: countSchema.optional(),
      burst: countSchema.optional(),
      wait: waitSchema.optional(),
    },
    { error: 'must be limits such as { rpm: 60, tpm: 100000, concurrency: 8 }' },
  )
  .superRefine(({ burst, rpm }, context) => {
    if (burst === undefined || rpm !== undefined) return
    context.addIssue({ code: 'custom', path: ['burst'], message: BURST_WITHOUT_EFFECT })
  })
  .transform((input): RateTerms | undefined => readRate(input))

type RateInput = Readonly<
  Partial<
    Record<'rpm' | 'tpm' | 'input_tpm' | 'output_tpm' | 'concurrency' | 'burst' | 'wait', number | undefined>
  >
>

/** Undefined if no limit is set. */
function readRate(input: RateInput): RateTerms | undefined {
  const { rpm, tpm, input_tpm, output_tpm, concurrency, burst, wait } = input
  const limits = [rpm, tpm, input_tpm, output_tpm, concurrency]
  if (limits.every((limit) => limit === undefined)) return undefined
  return {
    requestsPerMinute: rpm,
    tokensPerMinute: tpm,
    inputTokensPerMinute: input_tpm,
    outputTokensPerMinute: output_tpm,
    concurrency,
    burst,
    waitMs: wait ?? 0,
  }
}
