import { type ForcedAnswer, forceAnswer } from '../../../canonical/force-answer.ts'
import { createLossList } from '../../../canonical/loss.ts'
import type { ChatRequest } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { fitTurns } from '../../claude/fit-turns.ts'
import { isForTool } from '../../claude/write-output-format.ts'
import { joinFields } from '../../fields/extras.ts'
import { fitToolNames } from '../../fields/fit-tool-names.ts'
import { isUnreasoned } from '../../fields/is-unreasoned.ts'
import type { WriteTarget, WrittenRequest } from '../../wire-format.ts'
import { withExtras } from '../values/extras.ts'
import { createPointLimit, withPoint } from './cache-point.ts'
import { writeBlock } from './write-content.ts'
import { createWriteContext, lose, type WriteContext } from './write-context.ts'
import { type Message, writeMessages } from './write-messages.ts'
import { writeOutputConfig } from './write-output-format.ts'
import { writeReasoning } from './write-reasoning.ts'
import { writeInference } from './write-sampling.ts'
import { writeToolConfig } from './write-tools.ts'

/** The body of `POST /model/{id}/converse` and of its stream; the path says the model and which of the two. */
export function writeRequest(asked: ChatRequest, { dialect }: WriteTarget): WrittenRequest {
  const losses = createLossList()
  const context = createWriteContext(dialect, losses)
  const { request, callersTools } = holdToSchema(asked, context) ?? fitToolNames(asked, losses)
  const { tools, toolChoice } = writeToolConfig(request, context)
  const reasoning = writeReasoning(request, context)
  const inference = writeInference(request, reasoning, context)
  const { outputConfig, instruction } = writeOutputConfig(request.outputFormat, context)
  // Documents of a trial are not to take names.
  const tried = createWriteContext(dialect, losses)
  const fitted = fitTurns({ request, dialect, losses }, (block, lost) =>
    writeBlock(block, { ...tried, losses: lost }),
  )
  const turns = writeMessages(fitted.turns, context)
  const system = instruction === undefined ? turns.system : [...turns.system, { text: instruction }]
  const messages = markLast(turns.messages, request, context)
  const limit = createPointLimit([tools, system, ...messages.map(({ content }) => content)], context)
  const modelFields = joinFields(reasoning.fields, inference.fields)
  const written = {
    ...listField('system', limit(system)),
    messages: messages.map(({ role, content }) => ({ role, content: limit(content) })),
    ...objectField('inferenceConfig', inference.inferenceConfig),
    ...objectField('toolConfig', {
      ...listField('tools', limit(tools)),
      ...(toolChoice === undefined ? {} : { toolChoice }),
    }),
    ...(outputConfig === undefined ? {} : { outputConfig }),
    ...objectField('additionalModelRequestFields', modelFields),
    ...askForSequence(request, context),
    ...(inference.serviceTier === undefined ? {} : { serviceTier: inference.serviceTier }),
  }
  const value = withExtras(written, request.extras, { losses, path: '' })
  return {
    value,
    losses: losses.all,
    ...(callersTools.size === 0 ? {} : { callersTools }),
    ...(fitted.isSilent && { isSilent: true }),
  }
}

/**
 * By a tool that must be called, where the model takes no schema of the answer, or not this one. A call cannot be
 * demanded of a model that thinks: who asked for thinking is served by an instruction.
 */
function holdToSchema(request: ChatRequest, context: WriteContext): ForcedAnswer | undefined {
  const { dialect, model } = context
  const isUnthinking =
    model.reasoning === 'none' || request.reasoning === undefined || isUnreasoned(request.reasoning)
  const claude = dialect.messagesModel
  const mayDemand = dialect.toolChoices !== 'auto' && claude?.forcedTools !== false && !claude?.thinksUnasked
  if (!isUnthinking || !mayDemand || !isForTool(request.outputFormat, dialect)) return undefined
  const forced = forceAnswer(request)
  if (forced !== undefined) lose(context, 'json-output', 'approximated')
  return forced
}

/** A mark on the last block that can hold one. */
function markLast(messages: readonly Message[], { cache }: ChatRequest, context: WriteContext) {
  const last = messages.at(-1)
  if (last === undefined || cache === undefined) return messages
  return [...messages.slice(0, -1), { ...last, content: withPoint(last.content, cache, context) }]
}

/** Which sequence stopped the answer is told on demand alone, and by Claude. */
function askForSequence({ stopSequences = [] }: ChatRequest, { model }: WriteContext): JsonObject {
  if (stopSequences.length === 0 || model.reasoning !== 'thinking') return {}
  return { additionalModelResponseFieldPaths: ['/stop_sequence'] }
}

function listField(name: string, list: readonly JsonObject[]): JsonObject {
  return list.length === 0 ? {} : { [name]: list }
}

function objectField(name: string, value: JsonObject): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [name]: value }
}
