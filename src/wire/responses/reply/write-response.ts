import type { Extras } from '../../../canonical/format.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { LogProbs } from '../../../canonical/reply.ts'
import type { ServedTier } from '../../../canonical/served-tier.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { isJsonArray, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { StoredAnswerForm } from '../../answer-form.ts'
import { writeServedTier } from '../../served-tier.ts'
import { withExtras } from '../values/extras.ts'
import { writeUsage } from '../values/write-usage.ts'
import { addToText, isText } from './item-parts.ts'

export interface ResponseHead {
  readonly id: string
  readonly model: string
  readonly createdAtSeconds?: number
  /** Undefined where the caller cannot reference the response later. */
  readonly stored?: StoredAnswerForm | undefined
  readonly metadata?: JsonObject | undefined
}

/**
 * Writes the first fields of every response. The format's types require fields that repeat the request. Of these,
 * `metadata` has its value, since programs find their responses by it. The others have neutral values: instructions and
 * tools can be long, and the other settings may have no effect at a channel of another format.
 */
export function writeHead({ id, model, createdAtSeconds, stored, metadata = {} }: ResponseHead): JsonObject {
  return {
    id: stored?.id ?? id,
    object: 'response',
    created_at: createdAtSeconds ?? 0,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata,
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: stored?.previousResponseId ?? null,
    reasoning: { effort: null, summary: null },
    store: stored !== undefined && stored.isVolatile !== true,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    usage: null,
  }
}

export interface ResponseEnd {
  /** The fields for the response's status, and for why it was cut. */
  readonly stop: JsonObject
  readonly output: readonly JsonObject[]
  readonly usage: Usage | undefined
  readonly logprobs: LogProbs | undefined
  readonly serviceTier: ServedTier | undefined
  readonly extras: Extras | undefined
}

/** Writes the complete response. */
export function writeWhole(head: ResponseHead, end: ResponseEnd, losses: LossList): JsonObject {
  const { stop, output, usage, logprobs, serviceTier, extras } = end
  const written = omitUndefined({
    ...writeHead(head),
    ...stop,
    output: logprobs === undefined ? output : attachLogprobs(output, logprobs, losses),
    usage: usage === undefined ? null : writeUsage(usage, losses),
    service_tier: writeServedTier('responses', serviceTier, losses),
  })
  return withExtras(written, extras, { losses, path: '' })
}

/** Attaches the log probabilities of the whole answer to its first text. Those of a refusal cannot be carried. */
function attachLogprobs(
  output: readonly JsonObject[],
  { content = [], refusal }: LogProbs,
  losses: LossList,
): readonly JsonObject[] {
  const path = output.findIndex((item) => isJsonArray(item['content']) && item['content'].some(isText))
  if (refusal !== undefined || (content.length > 0 && path === -1)) {
    losses.lose('logprobs', 'dropped')
  }
  return output.map((item, index) => (index === path ? addToText(item, content) : item))
}
