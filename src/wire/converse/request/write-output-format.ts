import { type ForcedAnswer, forceAnswer } from '../../../canonical/force-answer.ts'
import type { ChatRequest, OutputFormat } from '../../../canonical/request.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import {
  fitOutputSchema,
  isForTool,
  writeClaudeOutputFormat,
} from '../../claude-models/write-output-format.ts'
import { isReasoningOff } from '../../fields/is-reasoning-off.ts'
import type { WriteContext } from './write-context.ts'

export interface WrittenOutputConfig {
  readonly outputConfig: JsonObject | undefined
  /** The system instruction, if the model cannot enforce the format. */
  readonly instruction: string | undefined
}

/** Demands JSON that matches a schema if the model can enforce it. Otherwise a system instruction asks for it. */
export function writeOutputFormat(
  format: OutputFormat | undefined,
  { dialect, losses }: WriteContext,
): WrittenOutputConfig {
  const isNative = format?.type === 'json-schema' && fitOutputSchema(format, dialect) !== undefined
  const { description, ...undescribed } = isNative ? format : { description: undefined, ...format }
  const claudeFormat = isNative ? { ...undescribed, type: format.type, schema: format.schema } : format
  const { outputConfig, instruction } = writeClaudeOutputFormat(claudeFormat, { dialect, losses })
  const written = isJsonObject(outputConfig['format']) ? outputConfig['format']['schema'] : undefined
  if (!isNative || written === undefined) return { outputConfig: undefined, instruction }
  const jsonSchema = omitUndefined({ schema: JSON.stringify(written), name: format.name, description })
  return {
    outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } },
    instruction,
  }
}

/**
 * Demands the answer as a tool call, if the model accepts no output schema, or not this one. A model that thinks cannot
 * be forced to call a tool: if the caller asks for thinking, the model gets an instruction instead.
 */
export function holdToSchema(request: ChatRequest, context: WriteContext): ForcedAnswer | undefined {
  const { dialect, model } = context
  const isUnthinking =
    model.reasoning === 'none' || request.reasoning === undefined || isReasoningOff(request.reasoning)
  const claude = dialect.messagesModel
  const mayDemand =
    dialect.toolChoices !== 'auto' && claude?.forcedTools !== false && !claude?.thinksByDefault
  if (!isUnthinking || !mayDemand || !isForTool(request.outputFormat, dialect)) return undefined
  const forced = forceAnswer(request)
  if (forced !== undefined) context.losses.lose('json-output', 'approximated')
  return forced
}
