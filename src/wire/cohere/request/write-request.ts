import { createLossList, type LossList } from '../../../canonical/loss.ts'
import type { ChatRequest } from '../../../canonical/request.ts'
import { isLong, runToEnd, type Steps } from '../../../kit/async/steps.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { fitToolNames } from '../../tools/fit-tool-names.ts'
import type { WriteTarget, WrittenRequest } from '../../wire-format.ts'
import { fitToolName } from './fit-tool-name.ts'
import type { WriteContext } from './write-context.ts'
import { writeMessages } from './write-messages.ts'
import { writeOutputFormat } from './write-output-format.ts'
import { writeReasoning } from './write-reasoning.ts'
import { writeSampling } from './write-sampling.ts'
import { writeTools } from './write-tools.ts'

/** Writes the body for a channel of this format. The result also lists the losses: what the format cannot carry. */
export function writeRequest(original: ChatRequest, target: WriteTarget): WrittenRequest {
  return runToEnd(writeRequestInSteps(original, target))
}

export function* writeRequestInSteps(original: ChatRequest, target: WriteTarget): Steps<WrittenRequest> {
  const losses = createLossList()
  const { request, callerTools } = fitToolNames(original, losses, fitToolName)
  if (isLong(request.turns)) yield
  const context: WriteContext = { dialect: target.dialect, losses }
  loseFields(request, losses)
  const tools = writeTools(request, context)
  const format = writeOutputFormat(request.outputFormat, 'tools' in tools, context)
  const body = omitUndefined({
    model: target.model,
    messages: [...format.messages, ...(yield* writeMessages(request.turns, context))],
    stream: request.stream ? true : undefined,
    ...tools,
    ...writeSampling(request, context),
    ...format.fields,
    ...writeReasoning(request.reasoning, context),
  })
  return { value: writeOwnFields(body, request, losses), losses: losses.all, callerTools }
}

function loseFields(request: ChatRequest, losses: LossList): void {
  const { choices, logprobs, topLogprobs } = request
  if (choices !== undefined && choices !== 1) losses.lose('choices', 'dropped')
  if (logprobs === true || topLogprobs !== undefined) losses.lose('logprobs', 'dropped')
  if (request.logitBias !== undefined) losses.lose('logit-bias', 'dropped')
  if (request.verbosity !== undefined) losses.lose('verbosity', 'dropped')
  if (request.endUser !== undefined) losses.lose('end-user', 'dropped')
  if (request.serviceTier !== undefined) losses.lose('service-tier', 'dropped')
  if (request.cache !== undefined) losses.lose('cache-mark', 'dropped')
}

/** Fields that only this format has. A caller of any format may add these fields: no other format has these names. */
const ownFields: ReadonlySet<string> = new Set([
  'safety_mode',
  'documents',
  'citation_options',
  'strict_tools',
  'priority',
])

function writeOwnFields(body: JsonObject, { extras }: ChatRequest, losses: LossList): JsonObject {
  const own: Record<string, JsonValue> = {}
  for (const [name, value] of Object.entries(extras?.fields ?? {})) {
    if (value === undefined) continue
    if (ownFields.has(name)) own[name] = value
    else losses.lose('foreign-field', 'dropped', name)
  }
  return { ...own, ...body }
}
