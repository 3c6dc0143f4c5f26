import { createLossList } from '../../../canonical/loss.ts'
import type { ChatRequest } from '../../../canonical/request.ts'
import { isLong, runToEnd, type Steps } from '../../../kit/async/steps.ts'
import { isJsonArray } from '../../../kit/json/json.ts'
import { fitTurns } from '../../claude-models/fit-turns.ts'
import { fitToolNames } from '../../tools/fit-tool-names.ts'
import type { WriteTarget, WrittenRequest } from '../../wire-format.ts'
import { withExtras } from '../values/extras.ts'
import { writeCacheControl } from '../values/write-cache-control.ts'
import { fitCacheMarks } from './fit-cache-marks.ts'
import { writeContent } from './write-content.ts'
import type { WriteContext } from './write-context.ts'
import { writeEndUser } from './write-end-user.ts'
import { writeMessages } from './write-messages.ts'
import { holdToSchema, instruct, writeOutputFormat } from './write-output-format.ts'
import { writeReasoning } from './write-reasoning.ts'
import { writeSampling } from './write-sampling.ts'
import { writeToolChoice } from './write-tool-choice.ts'
import { writeTools } from './write-tools.ts'

/** Writes the body of `POST /v1/messages` for a channel. */
export function writeRequest(original: ChatRequest, target: WriteTarget): WrittenRequest {
  return runToEnd(writeRequestInSteps(original, target))
}

export function* writeRequestInSteps(
  original: ChatRequest,
  { model, dialect }: WriteTarget,
): Steps<WrittenRequest> {
  const losses = createLossList()
  const { request, callerTools } =
    holdToSchema({ request: original, dialect, losses }) ?? fitToolNames(original, losses)
  const context: WriteContext = { request, dialect, losses }
  const tools = writeTools(context)
  const hasTools = tools.length > 0
  const reasoning = writeReasoning(context)
  const format = writeOutputFormat(context)
  const outputConfig = { ...reasoning.outputConfig, ...format.outputConfig }
  if (isLong(request.turns)) yield
  const fitted = fitTurns(context, writeContent)
  const conversation = yield* writeMessages(instruct(fitted.turns, format.instruction), losses)
  if (isLong(fitted.turns)) yield
  const written = {
    model,
    max_tokens: reasoning.maxTokens,
    ...conversation,
    ...(request.stream ? { stream: true } : {}),
    ...(hasTools ? { tools } : {}),
    ...writeToolChoice(context, hasTools),
    ...writeSampling(context, reasoning.isThinking),
    ...reasoning.body,
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    ...writeEndUser(request.endUser, losses),
    ...writeCacheControl(request.cache),
  }
  const whole = withExtras(written, request.extras, { losses, path: '' })
  const value = fitCacheMarks(whole, losses)
  const { messages } = conversation
  const isSilent = fitted.isSilent || (isJsonArray(messages) && messages.length === 0)
  return {
    value,
    losses: losses.all,
    ...(callerTools.size === 0 ? {} : { callerTools }),
    ...(isSilent && { isSilent }),
  }
}
