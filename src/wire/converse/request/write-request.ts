import { createLossList } from '../../../canonical/loss.ts'
import type { ChatRequest } from '../../../canonical/request.ts'
import { isLong, mapInSteps, runToEnd, type Steps } from '../../../kit/async/steps.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { fitTurns } from '../../claude-models/fit-turns.ts'
import { joinFields } from '../../fields/extras.ts'
import { fitToolNames } from '../../tools/fit-tool-names.ts'
import type { WriteTarget, WrittenRequest } from '../../wire-format.ts'
import { withExtras } from '../values/extras.ts'
import { createPointLimit, withPoint } from './cache-point.ts'
import { writeContent } from './write-content.ts'
import { createWriteContext, type WriteContext } from './write-context.ts'
import { type Message, writeMessages } from './write-messages.ts'
import { holdToSchema, writeOutputFormat } from './write-output-format.ts'
import { writeReasoning } from './write-reasoning.ts'
import { writeSampling } from './write-sampling.ts'
import { writeTools } from './write-tools.ts'

/** Writes the body of `POST /model/{id}/converse`, streamed or not. The path names the model and selects streaming. */
export function writeRequest(original: ChatRequest, target: WriteTarget): WrittenRequest {
  return runToEnd(writeRequestInSteps(original, target))
}

export function* writeRequestInSteps(original: ChatRequest, { dialect }: WriteTarget): Steps<WrittenRequest> {
  const losses = createLossList()
  const context = createWriteContext(dialect, losses)
  const { request, callerTools } = holdToSchema(original, context) ?? fitToolNames(original, losses)
  const { tools, toolChoice } = writeTools(request, context)
  const reasoning = writeReasoning(request, context)
  const inference = writeSampling(request, reasoning, context)
  const { outputConfig, instruction } = writeOutputFormat(request.outputFormat, context)
  // Documents of this trial run must not use up document names.
  const tried = createWriteContext(dialect, losses)
  if (isLong(request.turns)) yield
  const fitted = fitTurns({ request, dialect, losses }, (block, lost) =>
    writeContent(block, { ...tried, losses: lost }),
  )
  if (isLong(fitted.turns)) yield
  const turns = yield* writeMessages(fitted.turns, context)
  const system = instruction === undefined ? turns.system : [...turns.system, { text: instruction }]
  const marked = markLast(turns.messages, request, context)
  const limit = createPointLimit([tools, system, ...marked.map(({ content }) => content)], context)
  const modelFields = joinFields(reasoning.fields, inference.fields)
  const written = {
    ...listField('system', limit(system)),
    messages: yield* mapInSteps(marked, ({ role, content }) => ({ role, content: limit(content) })),
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
    ...(callerTools.size === 0 ? {} : { callerTools }),
    ...(fitted.isSilent && { isSilent: true }),
  }
}

/** Adds the request's cache mark after the last message. */
function markLast(messages: readonly Message[], { cache }: ChatRequest, context: WriteContext) {
  const last = messages.at(-1)
  if (last === undefined || cache === undefined) return messages
  return [...messages.slice(0, -1), { ...last, content: withPoint(last.content, cache, context) }]
}

/** The stop sequence is reported only on request, and only by Claude. */
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
