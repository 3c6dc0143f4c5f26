import type { LossList } from '../../../canonical/loss.ts'
import type { StopReason } from '../../../canonical/reply.ts'
import type { AnswerContent } from '../../answer-content.ts'

/**
 * Finish reasons: the format's own five, then those of other servers (recorded traffic, 2023 to 2026). The last three
 * are those of vLLM (https://github.com/vllm-project/vllm/blob/main/vllm/v1/engine/__init__.py) and watsonx
 * (https://ibm.github.io/watsonx-ai-node-sdk/interfaces/1_6_x.WatsonXAI.TextChatResultChoice-1.html), both seen
 * 2026-11-30. They end an answer in the middle.
 */
const stopReasonOf: Readonly<Record<string, StopReason>> = {
  stop: 'end',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
  eos: 'end',
  end_turn: 'end',
  complete: 'end',
  max_tokens: 'length',
  model_length: 'length',
  stop_sequence: 'stop-sequence',
  tool_use: 'tool-calls',
  refusal: 'refusal',
  safety: 'content-filter',
  recitation: 'content-filter',
  sensitive: 'content-filter',
  model_context_window_exceeded: 'context-window',
  guardrail_intervened: 'content-filter',
  repetition: 'length',
  time_limit: 'length',
  cancelled: 'length',
}

/**
 * Reads why an answer ended. An unknown word or number means a normal end. It is an end with tool calls if the answer
 * contains calls.
 */
export function readStopReason(value: string | number, hasToolCalls: boolean): StopReason {
  const word = String(value).toLowerCase()
  if (Object.hasOwn(stopReasonOf, word)) return stopReasonOf[word] ?? 'end'
  return hasToolCalls ? 'tool-calls' : 'end'
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

interface FinishRow {
  readonly word: FinishReason
  /** Whether the word is less precise than the canonical reason. */
  readonly isApproximate?: true
}

const finishReasonOf: Readonly<Record<StopReason, FinishRow>> = {
  end: { word: 'stop' },
  length: { word: 'length' },
  'tool-calls': { word: 'tool_calls' },
  'content-filter': { word: 'content_filter' },
  'stop-sequence': { word: 'stop', isApproximate: true },
  refusal: { word: 'content_filter', isApproximate: true },
  pause: { word: 'stop', isApproximate: true },
  'context-window': { word: 'length', isApproximate: true },
}

/**
 * Writes the finish reason, which the format requires. Without a known reason it depends on whether the answer contains
 * calls, which is declared. Callers run tools only if it is `tool_calls`, and some models of other formats end normally
 * after a call. An answer with the words of a refusal ends with `stop`, like OpenAI's own (recorded, 2025), since its
 * client throws an error on `content_filter` in place of showing these words.
 */
export function writeStopReason(
  reason: StopReason | undefined,
  { hasToolCall, hasRefusal }: AnswerContent,
  losses: LossList,
): FinishReason {
  if (reason === undefined) {
    losses.lose('stop-reason', 'defaulted')
    return hasToolCall ? 'tool_calls' : 'stop'
  }
  const { word, isApproximate } = finishReasonOf[reason]
  const isCall = hasToolCall && reason === 'end'
  if (isApproximate || isCall) losses.lose('stop-reason', 'approximated')
  if (isCall) return 'tool_calls'
  return hasRefusal && reason === 'refusal' ? 'stop' : word
}
