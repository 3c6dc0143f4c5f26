import { type ForcedAnswer, forceAnswer } from '../../../canonical/force-answer.ts'
import type { Turn } from '../../../canonical/request.ts'
import {
  isForTool,
  type WrittenOutputFormat,
  writeClaudeOutputFormat,
} from '../../claude-models/write-output-format.ts'
import { isReasoningOff } from '../../fields/is-reasoning-off.ts'
import type { WriteContext } from './write-context.ts'

/** The part of `output_config` that demands JSON. It is the same for all Claude models. */
export function writeOutputFormat({ request, dialect, losses }: WriteContext): WrittenOutputFormat {
  return writeClaudeOutputFormat(request.outputFormat, { dialect, losses })
}

/**
 * Demands the answer as a tool call, if the model accepts no output schema, or not this one. A model that thinks cannot
 * be forced to call a tool: if the caller asks for thinking, the model gets an instruction instead.
 */
export function holdToSchema(context: WriteContext): ForcedAnswer | undefined {
  const { request, dialect, losses } = context
  const isUnthinking = request.reasoning === undefined || isReasoningOff(request.reasoning)
  const model = dialect.messagesModel
  if (!isUnthinking || model?.forcedTools === false || model?.thinksByDefault) return undefined
  if (!isForTool(request.outputFormat, dialect)) return undefined
  const forced = forceAnswer(request)
  if (forced === undefined) return undefined
  losses.lose('json-output', 'approximated')
  // Without this, Claude may call the tool several times.
  return { ...forced, request: { ...forced.request, parallelToolCalls: false } }
}

/** Adds the gateway's own instruction to the model after the caller's system messages at the start. */
export function instruct(turns: readonly Turn[], instruction: string | undefined): readonly Turn[] {
  if (instruction === undefined) return turns
  const head = turns.findIndex(({ role }) => role !== 'system')
  const end = head === -1 ? turns.length : head
  const last = turns[end - 1]
  const said = { type: 'text' as const, text: instruction }
  if (last?.role !== 'system') {
    return [
      ...turns.slice(0, end),
      { role: 'system', authority: 'system', content: [said] },
      ...turns.slice(end),
    ]
  }
  return [...turns.slice(0, end - 1), { ...last, content: [...last.content, said] }, ...turns.slice(end)]
}
