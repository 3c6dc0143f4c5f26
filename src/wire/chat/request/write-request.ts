import { createLossList } from '../../../canonical/loss.ts'
import type { ChatRequest } from '../../../canonical/request.ts'
import { isLong, runToEnd, type Steps } from '../../../kit/async/steps.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { adoptSharedFields } from '../../openai/request/adopt-shared-fields.ts'
import { dropRefusedFields, refusedBeside } from '../../openai/request/drop-refused-fields.ts'
import { requestsStandardTier } from '../../requested-tier.ts'
import { fitToolNames } from '../../tools/fit-tool-names.ts'
import type { WriteTarget, WrittenRequest } from '../../wire-format.ts'
import { withExtras } from '../values/extras.ts'
import { fitCustomTools } from './fit-custom-tools.ts'
import { cacheMarkField, type WriteContext } from './write-context.ts'
import { writeMessages } from './write-messages.ts'
import { askForSchema, holdToSchema, writeOutputFormat } from './write-output-format.ts'
import { writeReasoning } from './write-reasoning.ts'
import { writeSampling } from './write-sampling.ts'
import { writeTools } from './write-tools.ts'

/** Writes the body for a channel that speaks this format, and lists everything that the format cannot carry. */
export function writeRequest(original: ChatRequest, target: WriteTarget): WrittenRequest {
  return runToEnd(writeRequestInSteps(original, target))
}

export function* writeRequestInSteps(original: ChatRequest, target: WriteTarget): Steps<WrittenRequest> {
  const losses = createLossList()
  const context: WriteContext = { dialect: target.dialect, losses }
  const named = fitToolNames(original, losses)
  if (isLong(original.turns)) yield
  const fitted = holdToSchema(named.request, context) ?? fitCustomTools(named.request, context)
  const renamed = [...named.callerTools].filter(([name, tool]) => name !== tool.name)
  const callerTools = new Map([...fitted.callerTools, ...renamed])
  const { request } = fitted
  if (isLong(request.turns)) yield
  const messages = yield* writeMessages(request.turns, context)
  const body: JsonObject = {
    model: target.model,
    messages: askForSchema(messages, request.outputFormat, context),
    ...writeStream(request, context),
    ...writeTools(request, context),
    ...writeSampling(request, context),
    ...writeOutputFormat(request.outputFormat, context),
    ...writeReasoning(request, context),
    ...omitUndefined({
      verbosity: request.verbosity,
      user: writeEndUser(request.endUser, context),
      service_tier: writeServiceTier(request.serviceTier, context),
    }),
    ...cacheMarkField(request.cache, context),
    ...context.dialect.fixedFields,
  }
  const refused = refusedBeside(body['reasoning_effort'], context.dialect)
  const accepted = dropRefusedFields(body, refused, context.losses)
  const value = writeOwnFields(accepted, request, context)
  return { value, losses: losses.all, ...(callerTools.size === 0 ? {} : { callerTools }) }
}

/** Longer IDs are rejected (OpenAI's API, error `string_above_max_length`). Coding agents send whole JSON texts. */
const MAX_USER_CHARACTERS = 64

function writeEndUser(endUser: string | undefined, context: WriteContext): string | undefined {
  if (endUser === undefined || endUser.length <= MAX_USER_CHARACTERS) return endUser
  context.losses.lose('end-user', 'dropped')
  return undefined
}

/** Usage is always requested, since the gateway needs it for accounting even where the caller does not ask for it. */
function writeStream(request: ChatRequest, context: WriteContext): JsonObject {
  if (!request.stream) return {}
  if (!context.dialect.streamUsageOption) return { stream: true }
  return { stream: true, stream_options: { include_usage: true } }
}

/** Stream options are left out without a stream, since servers reject them then. */
function writeOwnFields(body: JsonObject, request: ChatRequest, context: WriteContext): JsonObject {
  const { extras, stream } = request
  const path = { losses: context.losses, path: '' }
  if (extras?.format !== 'chat' || (stream && context.dialect.streamUsageOption)) {
    return adoptSharedFields(extras, 'chat', context.dialect).reduce(
      (fields, part) => withExtras(fields, part, path),
      body,
    )
  }
  const { stream_options: options, ...fields } = extras.fields
  if (options !== undefined) {
    context.losses.lose('foreign-field', 'dropped', 'stream_options')
  }
  return withExtras(body, { format: 'chat', fields }, path)
}

/** Writes the service tier. The standard tier of other formats is `default` in this format. */
function writeServiceTier(tier: string | undefined, context: WriteContext): string | undefined {
  if (tier === undefined || tier === 'default' || !requestsStandardTier(tier)) return tier
  context.losses.lose('service-tier', 'approximated')
  return 'default'
}
