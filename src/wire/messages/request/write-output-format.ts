import { type ForcedAnswer, forceAnswer } from '../../../canonical/force-answer.ts'
import type { Turn } from '../../../canonical/request.ts'
import {
  isForTool,
  type WrittenOutputFormat,
  writeClaudeOutputFormat,
} from '../../claude-models/write-output-format.ts'
import { isReasoningOff } from '../../fields/is-reasoning-off.ts'
import type { WriteContext } from './write-context.ts'

/** The part of `output_config` that demands JSON, as every Claude takes it. */
export function writeOutputFormat({ request, dialect, losses }: WriteContext): WrittenOutputFormat {
  return writeClaudeOutputFormat(request.outputFormat, { dialect, losses })
}

/**
 * Demands the answer as a call of a tool, where the model takes no schema of the answer, or not this one. A model that
 * thinks cannot be forced to call: a caller that asked for thinking gets an instruction instead.
 */
export function holdToSchema(context: WriteContext): ForcedAnswer | undefined {
  const { request, dialect, losses } = context
  const isUnthinking = request.reasoning === undefined || isReasoningOff(request.reasoning)
  const model = dialect.messagesModel
  if (!isUnthinking || model?.forcedTools === false || model?.thinksByDefault) return undefined
  if (!isForTool(request.outputFormat, dialect)) return undefined
  const forced = forceAnswer(request)
  if (forced !== undefined) losses.lose('json-output', 'approximated')
  return forced
}

/** Puts what the gateway itself asks of the model after the caller's own system messages. */
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
