import { SECOND_UNIT } from '../../../canonical/operations/units.ts'
import { boundCount, inputTokensOf, noUsage, type Usage } from '../../../canonical/usage.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { UsageCounter } from '../../fields/usage-counter.ts'

/**
 * Reads the usage of a transcript in tokens or in seconds. Billed seconds are whole seconds
 * (https://platform.openai.com/docs/api-reference/audio/json-object, seen 2026-11-24). Mistral reports both. Never
 * throws.
 */
export function readTranscriptUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const seconds = value['seconds'] ?? value['prompt_audio_seconds']
  const toolCalls =
    typeof seconds === 'number' && seconds >= 0 ? { [SECOND_UNIT]: boundCount(seconds) } : noUsage.toolCalls
  const tokens = readTokens(value)
  if (tokens === undefined && toolCalls === noUsage.toolCalls) return undefined
  return { ...(tokens ?? noUsage), toolCalls }
}

function readTokens(value: JsonObject): Usage | undefined {
  const input = value['input_tokens'] ?? value['prompt_tokens']
  const output = value['output_tokens'] ?? value['completion_tokens']
  if (typeof input !== 'number' && typeof output !== 'number') return undefined
  const counter = new UsageCounter()
  const freshInputTokens = counter.count(input)
  const details = value['input_token_details']
  const audio = isJsonObject(details) ? details['audio_tokens'] : undefined
  return {
    ...noUsage,
    freshInputTokens,
    inputAudioTokens: counter.partOf(counter.count(audio), freshInputTokens),
    outputTokens: counter.count(output),
    isEstimated: counter.isEstimated,
  }
}

/** Writes the usage of a transcript for callers, in seconds where seconds are billed. */
export function writeTranscriptUsage(usage: Usage): JsonObject {
  const seconds = usage.toolCalls[SECOND_UNIT]
  if (seconds !== undefined) return { type: 'duration', seconds }
  const input = inputTokensOf(usage)
  return {
    type: 'tokens',
    input_tokens: input,
    input_token_details: {
      audio_tokens: usage.inputAudioTokens,
      text_tokens: input - usage.inputAudioTokens,
    },
    output_tokens: usage.outputTokens,
    total_tokens: input + usage.outputTokens,
  }
}
