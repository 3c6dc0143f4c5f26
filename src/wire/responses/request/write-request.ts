import { createLossList, type LossList } from '../../../canonical/loss.ts'
import type { ChatRequest } from '../../../canonical/request.ts'
import { runToEnd, type Steps } from '../../../kit/async/steps.ts'
import { isJsonArray, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { Dialect, RefusableField } from '../../dialect.ts'
import { adoptSharedFields } from '../../openai/request/adopt-shared-fields.ts'
import { dropRefusedFields, refusedBeside } from '../../openai/request/drop-refused-fields.ts'
import { requestsStandardTier } from '../../requested-tier.ts'
import { fitToolNames } from '../../tools/fit-tool-names.ts'
import type { WriteTarget, WrittenRequest } from '../../wire-format.ts'
import { withExtras } from '../values/extras.ts'
import { writeMessages } from './write-messages.ts'
import { writeOutputFormat } from './write-output-format.ts'
import { writeReasoning } from './write-reasoning.ts'
import { writeSampling } from './write-sampling.ts'
import { writeTools } from './write-tools.ts'

/** Longer IDs are rejected. Coding agents send whole JSON texts. */
const MAX_USER_CHARACTERS = 64

/**
 * Writes the body for a channel that speaks this format, and lists everything that the format cannot carry. The
 * provider stores nothing: the caller sends the whole conversation each time.
 */
export function writeRequest(original: ChatRequest, target: WriteTarget): WrittenRequest {
  return runToEnd(writeRequestInSteps(original, target))
}

export function* writeRequestInSteps(original: ChatRequest, target: WriteTarget): Steps<WrittenRequest> {
  const losses = createLossList()
  const { request, callerTools } = fitToolNames(original, losses)
  const renamed = new Map([...callerTools].filter(([name, tool]) => name !== tool.name))
  const { dialect } = target
  loseFields(request, losses)
  const reasoning = writeReasoning(request.reasoning, { dialect, losses })
  const refused = refusedBeside(reasoning?.['effort'], dialect)
  const body = omitUndefined({
    model: target.model,
    ...(yield* writeMessages(request.turns, losses)),
    ...(request.stream ? { stream: true } : {}),
    store: false,
    include: writeInclude(request, { dialect, refused, losses }),
    ...writeTools(request, losses),
    ...writeSampling(request, { dialect, losses }),
    text: writeOutputFormat(request, { dialect, losses }),
    reasoning,
    user: writeEndUser(request.endUser, losses),
    service_tier: writeServiceTier(request.serviceTier, losses),
  })
  const accepted = dropRefusedFields(body, refused, losses)
  return {
    value: writeOwnFields(accepted, request, { dialect, losses }),
    losses: losses.all,
    ...(renamed.size === 0 ? {} : { callerTools: renamed }),
  }
}

/** The caller's own `include` and the added `include` select what the answer contains. They become one list. */
function writeOwnFields(
  body: JsonObject,
  { extras }: ChatRequest,
  { dialect, losses }: Pick<IncludeInput, 'dialect' | 'losses'>,
): JsonObject {
  const more = extras?.format === 'responses' ? extras.fields['include'] : undefined
  const { include } = body
  const lists = [include, more].filter(isJsonArray)
  const written = lists.length === 2 ? { ...body, include: lists.flat() } : body
  return adoptSharedFields(extras, 'responses', dialect).reduce(
    (fields, part) => withExtras(fields, part, { losses, path: '' }),
    written,
  )
}

interface IncludeInput {
  readonly dialect: Dialect
  readonly refused: readonly RefusableField[]
  readonly losses: LossList
}

/** Encrypted reasoning is requested where the model reasons, so that callers can send it back in later turns. */
function writeInclude(
  { logprobs }: ChatRequest,
  { dialect, refused, losses }: IncludeInput,
): readonly string[] | undefined {
  const acceptsLogprobs = !refused.includes('logprobs')
  if (logprobs === true && !acceptsLogprobs) losses.lose('logprobs', 'dropped')
  const include = [
    ...(dialect.reasoning === 'none' ? [] : ['reasoning.encrypted_content']),
    ...(logprobs === true && acceptsLogprobs ? ['message.output_text.logprobs'] : []),
  ]
  return include.length === 0 ? undefined : include
}

function loseFields(request: ChatRequest, losses: LossList): void {
  if (request.topK !== undefined) losses.lose('top-k', 'dropped')
  if (request.presencePenalty !== undefined) losses.lose('presence-penalty', 'dropped')
  if (request.frequencyPenalty !== undefined) losses.lose('frequency-penalty', 'dropped')
  if (request.seed !== undefined) losses.lose('seed', 'dropped')
  if (request.logitBias !== undefined) losses.lose('logit-bias', 'dropped')
  if (request.cache !== undefined) losses.lose('cache-mark', 'dropped')
  if (request.stopSequences !== undefined && request.stopSequences.length > 0) {
    losses.lose('stop-sequences', 'dropped')
  }
  if (request.choices !== undefined && request.choices !== 1) losses.lose('choices', 'dropped')
}

function writeEndUser(endUser: string | undefined, losses: LossList): string | undefined {
  if (endUser === undefined || endUser.length <= MAX_USER_CHARACTERS) return endUser
  losses.lose('end-user', 'dropped')
  return undefined
}

/** Writes the service tier. The standard tier of other formats is `default` in this format. */
function writeServiceTier(tier: string | undefined, losses: LossList): string | undefined {
  if (tier === undefined || tier === 'default' || !requestsStandardTier(tier)) return tier
  losses.lose('service-tier', 'approximated')
  return 'default'
}
