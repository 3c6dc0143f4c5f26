import type { Target } from '../catalog/catalog.ts'
import { isJsonObject, type JsonValue } from '../kit/json/json.ts'
import { tryParseJson } from '../kit/json/try-parse-json.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { Provider } from '../providers/provider.ts'
import { reasonsByItself } from '../providers/reasons-by-itself.ts'
import type { AttemptSequence, RoutingState } from '../routing/attempt-sequence.ts'
import type { ScannedRequest } from '../wire/wire-format.ts'
import { type AttemptTimeouts, planTimeouts } from './attempt/plan-timeouts.ts'
import { bodyLengthOf } from './exchange/caller-request.ts'
import { type Exchange, isMedia } from './exchange/exchange.ts'

export interface TimeoutInput {
  readonly exchange: Exchange
  readonly sequence: Pick<AttemptSequence, 'hasOther'>
  readonly target: Target
  readonly provider: Provider
}

export interface TimeoutDependencies {
  readonly clock: Clock
  readonly routingState: Pick<RoutingState, 'latency'>
}

/** Finds how long a stream of this target may show nothing. Called only once the stream has been silent for a while. */
export function findTimeouts(
  { exchange, sequence, target, provider }: TimeoutInput,
  { clock, routingState }: TimeoutDependencies,
): AttemptTimeouts {
  const nowMs = clock.monotonicMs()
  const setting = asksForReasoning(exchange.scanned)
  const { wholeHeadersMs, progressMs } = target.channel.timeouts
  return planTimeouts({
    hasOther: sequence.hasOther(nowMs),
    // An image takes as long as reasoning does.
    mayReason:
      isMedia(exchange) || setting === 'on' || (setting === 'unset' && reasonsByItself(provider, target)),
    loadsModels: provider.loadsModels === true,
    inputBytes: bodyLengthOf(exchange.callerRequest),
    usualMs: routingState.latency.of(target, true, nowMs),
    wholeMs: wholeHeadersMs,
    progressMs,
  })
}

/** The caller's setting for reasoning. `unset` leaves the choice to the model. */
export type ReasoningSetting = 'on' | 'off' | 'unset'

/** The length up to which a field's value is searched. */
const MAX_CHARACTERS = 64 * 1024

/** Reads the reasoning fields of every format, wherever they are in the body. Called only when an answer is late. */
export function asksForReasoning(scanned: ScannedRequest): ReasoningSetting {
  const settings: ReasoningSetting[] = []
  for (const [name, span] of scanned.fields) {
    if (!reasoningFields.has(name) || span.valueEnd - span.valueStart > MAX_CHARACTERS) continue
    const value = tryParseJson(scanned.body.textOf(span))
    if (value !== undefined) settings.push(name === 'tools' ? judgeTools(value) : judgeField(value))
  }
  if (settings.includes('on')) return 'on'
  return settings.includes('off') ? 'off' : 'unset'
}

/** Field names in lower case, since fields are compared without letter case. */
const reasoningFields: ReadonlySet<string> = new Set([
  'reasoning_effort',
  'reasoning',
  'thinking',
  'thinking_budget',
  'enable_thinking',
  'output_config',
  'chat_template_kwargs',
  'generationconfig',
  'generation_config',
  'extra_body',
  'tools',
])

/** Values that switch reasoning off. */
const offWords: ReadonlySet<unknown> = new Set(['none', 'disabled', 'off', false, 0])

function judgeField(value: JsonValue): ReasoningSetting {
  if (value === null) return 'unset'
  if (!isJsonObject(value)) return offWords.has(value) ? 'off' : 'on'
  for (const [name, inner] of Object.entries(value)) {
    const setting = judgeInner(name, inner)
    if (setting !== 'unset') return setting
  }
  return 'unset'
}

/** Names inside those fields that say whether, or how much, the model reasons. */
const settingNames =
  /^(?:type|effort|enabled|max_?tokens|enable_?thinking|thinking|thinking_?(?:budget|level|config)|google)$/i

function judgeInner(name: string, value: JsonValue | undefined): ReasoningSetting {
  if (value === undefined || !settingNames.test(name)) return 'unset'
  return judgeField(value)
}

/** Tools that the provider runs itself while its stream shows nothing. */
const ownTools =
  /^(?:web_search|web_fetch|code_interpreter|code_execution|file_search|image_generation|mcp|shell)/

function judgeTools(value: JsonValue): ReasoningSetting {
  const runsOwn =
    Array.isArray(value) &&
    value.some(
      (tool) => isJsonObject(tool) && typeof tool['type'] === 'string' && ownTools.test(tool['type']),
    )
  return runsOwn ? 'on' : 'unset'
}
