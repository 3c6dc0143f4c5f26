import { createLossList, type LossList, type Written } from '../../../canonical/loss.ts'
import type { ChatRequest, Effort, OutputFormat, Reasoning } from '../../../canonical/request.ts'
import { isJsonArray, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { asksForStandard } from '../../asked-tier.ts'
import type { Dialect, RefusableField } from '../../dialect.ts'
import { nearestEffort } from '../../fields/nearest-effort.ts'
import { dropRefusedFields, refusedBeside } from '../../openai/request/drop-refused-fields.ts'
import type { WriteTarget } from '../../wire-format.ts'
import { withExtras } from '../values/extras.ts'
import { writeInput } from './write-messages.ts'
import { writeToolFields } from './write-tools.ts'

/** The service takes no cap below (error "integer_below_min_value", seen 2026-11-20). */
const LEAST_OUTPUT_TOKENS = 16
/** Longer ids are refused; coding agents send whole JSON texts. */
const MAX_USER_CHARACTERS = 64

/**
 * The body for a channel that speaks this format, with all that it has no place for. The provider is to keep nothing:
 * whoever called sends the whole conversation each time.
 */
export function writeRequest(request: ChatRequest, target: WriteTarget): Written<JsonObject> {
  const losses = createLossList()
  const { dialect } = target
  loseFields(request, losses)
  const reasoning = writeReasoning(request.reasoning, dialect, losses)
  const refused = refusedBeside(reasoning?.['effort'], dialect)
  const body = omitUndefined({
    model: target.model,
    ...writeInput(request.turns, losses),
    ...(request.stream ? { stream: true } : {}),
    store: false,
    include: writeInclude(request, { dialect, refused, losses }),
    ...writeToolFields(request, losses),
    max_output_tokens: writeCap(request.maxOutputTokens, dialect, losses),
    temperature: request.temperature,
    top_p: request.topP,
    top_logprobs: request.topLogprobs,
    text: writeText(request, losses),
    reasoning,
    user: writeEndUser(request.endUser, losses),
    service_tier: writeServiceTier(request.serviceTier, losses),
  })
  const taken = dropRefusedFields(body, refused, losses)
  return { value: writeOwnFields(taken, request, losses), losses: losses.all }
}

/** Both say what is to stand in the answer; one list holds them. */
function writeOwnFields(body: JsonObject, { extras }: ChatRequest, losses: LossList): JsonObject {
  const more = extras?.format === 'responses' ? extras.fields['include'] : undefined
  const { include } = body
  const lists = [include, more].filter(isJsonArray)
  const written = lists.length === 2 ? { ...body, include: lists.flat() } : body
  return withExtras(written, extras, { losses, path: '' })
}

interface IncludeParts {
  readonly dialect: Dialect
  readonly refused: readonly RefusableField[]
  readonly losses: LossList
}

/** Encrypted reasoning is asked for where the model reasons, so that callers can bring it back. */
function writeInclude({ logprobs }: ChatRequest, parts: IncludeParts): readonly string[] | undefined {
  const { dialect, refused, losses } = parts
  const takesLogprobs = !refused.includes('logprobs')
  if (logprobs === true && !takesLogprobs) losses.add({ feature: 'logprobs', kind: 'dropped' })
  const include = [
    ...(dialect.reasoning === 'none' ? [] : ['reasoning.encrypted_content']),
    ...(logprobs === true && takesLogprobs ? ['message.output_text.logprobs'] : []),
  ]
  return include.length === 0 ? undefined : include
}

function loseFields(request: ChatRequest, losses: LossList): void {
  if (request.topK !== undefined) losses.add({ feature: 'top-k', kind: 'dropped' })
  if (request.presencePenalty !== undefined) losses.add({ feature: 'presence-penalty', kind: 'dropped' })
  if (request.frequencyPenalty !== undefined) losses.add({ feature: 'frequency-penalty', kind: 'dropped' })
  if (request.seed !== undefined) losses.add({ feature: 'seed', kind: 'dropped' })
  if (request.logitBias !== undefined) losses.add({ feature: 'logit-bias', kind: 'dropped' })
  if (request.cache !== undefined) losses.add({ feature: 'cache-mark', kind: 'dropped' })
  if (request.stopSequences !== undefined && request.stopSequences.length > 0) {
    losses.add({ feature: 'stop-sequences', kind: 'dropped' })
  }
  if (request.choices !== undefined && request.choices !== 1)
    losses.add({ feature: 'choices', kind: 'dropped' })
}

function writeCap(
  cap: number | undefined,
  { maxOutputTokens: most = Number.POSITIVE_INFINITY }: Dialect,
  losses: LossList,
): number | undefined {
  if (cap === undefined || (cap >= LEAST_OUTPUT_TOKENS && cap <= most)) return cap
  losses.add({ feature: 'max-output-tokens', kind: 'approximated' })
  return cap < LEAST_OUTPUT_TOKENS ? LEAST_OUTPUT_TOKENS : most
}

function writeText({ outputFormat, verbosity }: ChatRequest, losses: LossList): JsonObject | undefined {
  const format = outputFormat === undefined ? undefined : writeFormat(outputFormat, losses)
  const text = omitUndefined({ format, verbosity })
  return Object.keys(text).length === 0 ? undefined : text
}

/** The name is for the provider's own logs; the format demands one. */
function writeFormat(format: OutputFormat, losses: LossList): JsonObject {
  if (format.type === 'text') return { type: 'text' }
  if (format.type === 'json') return { type: 'json_object' }
  const { name, description, schema, strict } = format
  if (name === undefined) losses.add({ feature: 'json-output', kind: 'defaulted' })
  return omitUndefined({ type: 'json_schema', name: name ?? 'response', description, schema, strict })
}

/** Up to how many thinking tokens an effort stands for a budget; above the last, `high`. */
const effortOfBudget: readonly (readonly [number, Effort])[] = [
  [1024, 'minimal'],
  [4096, 'low'],
  [16_384, 'medium'],
]

function writeReasoning(
  reasoning: Reasoning | undefined,
  dialect: Dialect,
  losses: LossList,
): JsonObject | undefined {
  if (reasoning === undefined) return undefined
  const { mode, budgetTokens, effort, display } = reasoning
  if (dialect.reasoning === 'none') {
    if (mode !== undefined) losses.add({ feature: 'thinking-mode', kind: 'dropped' })
    if (budgetTokens !== undefined) losses.add({ feature: 'reasoning-budget', kind: 'dropped' })
    if (effort !== undefined) losses.add({ feature: 'reasoning-effort', kind: 'dropped' })
    if (display === 'summarized') losses.add({ feature: 'reasoning-display', kind: 'dropped' })
    return undefined
  }
  if (mode !== undefined) losses.add({ feature: 'thinking-mode', kind: 'approximated' })
  if (budgetTokens !== undefined) losses.add({ feature: 'reasoning-budget', kind: 'approximated' })
  const asked = effortFor(reasoning)
  const word = asked === undefined ? undefined : nearestEffort(asked, dialect.efforts)
  if (word !== asked && effort !== undefined) {
    losses.add({ feature: 'reasoning-effort', kind: word === undefined ? 'dropped' : 'approximated' })
  }
  // Without a summary the format tells nothing of its reasoning: that is what `omitted` asks for.
  const written = omitUndefined({ effort: word, summary: display === 'summarized' ? 'auto' : undefined })
  return Object.keys(written).length === 0 ? undefined : written
}

/** Where the model decides for itself (`adaptive`) nothing is said. */
function effortFor({ mode, effort, budgetTokens }: Reasoning): Effort | undefined {
  if (mode === 'off') return 'none'
  if (effort !== undefined) return effort
  if (budgetTokens === undefined) return mode === 'on' ? 'medium' : undefined
  return effortOfBudget.find(([limit]) => budgetTokens <= limit)?.[1] ?? 'high'
}

function writeEndUser(endUser: string | undefined, losses: LossList): string | undefined {
  if (endUser === undefined || endUser.length <= MAX_USER_CHARACTERS) return endUser
  losses.add({ feature: 'end-user', kind: 'dropped' })
  return undefined
}

/** What other formats call the usual tier is this format's `default`. */
function writeServiceTier(tier: string | undefined, losses: LossList): string | undefined {
  if (tier === undefined || tier === 'default' || !asksForStandard(tier)) return tier
  losses.add({ feature: 'service-tier', kind: 'approximated' })
  return 'default'
}
