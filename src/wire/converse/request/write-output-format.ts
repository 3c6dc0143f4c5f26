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
  /** The system instruction where the model cannot be held to the format. */
  readonly instruction: string | undefined
}

/** JSON by a schema is demanded where the model can be held to it; else the system asks for it. */
export function writeOutputFormat(
  format: OutputFormat | undefined,
  { dialect, losses }: WriteContext,
): WrittenOutputConfig {
  const isNative = format?.type === 'json-schema' && fitOutputSchema(format, dialect) !== undefined
  const { description, ...undescribed } = isNative ? format : { description: undefined, ...format }
  const asked = isNative ? { ...undescribed, type: format.type, schema: format.schema } : format
  const { outputConfig, instruction } = writeClaudeOutputFormat(asked, { dialect, losses })
  const written = isJsonObject(outputConfig['format']) ? outputConfig['format']['schema'] : undefined
  if (!isNative || written === undefined) return { outputConfig: undefined, instruction }
  const jsonSchema = omitUndefined({ schema: JSON.stringify(written), name: format.name, description })
  return {
    outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } },
    instruction,
  }
}

/**
 * Demands the answer as a call of a tool, where the model takes no schema of the answer, or not this one. A model that
 * thinks cannot be forced to call: a caller that asked for thinking gets an instruction instead.
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
