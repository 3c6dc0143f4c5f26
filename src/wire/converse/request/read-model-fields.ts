import { type Effort, efforts, type Reasoning } from '../../../canonical/request.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readObject } from '../../fields/read-field.ts'

export interface ModelFields {
  readonly reasoning?: Reasoning
  readonly topK?: number
  /** The fields that have no name in the canonical form. */
  readonly unread?: JsonObject | undefined
}

/**
 * Reads the fields of one family of models that have an equivalent in other families: `thinking`, `reasoning_config`,
 * `output_config.effort` and `top_k` of Claude, `reasoning_effort` of gpt-oss, `reasoningConfig` and
 * `inferenceConfig.topK` of Nova (inference-reasoning.html, seen 2026-11-25). All other fields are sent only to
 * channels of this format.
 */
export function readModelFields(body: JsonObject): ModelFields {
  const fields = readObject(body, 'additionalModelRequestFields', '') ?? {}
  const { thinking, reasoning_config: older, reasoning_effort: plain, reasoningConfig: nova } = fields
  const { top_k: topK, output_config: output, inferenceConfig: inference, ...rest } = fields
  const { thinking: _t, reasoning_config: _o, reasoning_effort: _p, reasoningConfig: _n, ...others } = rest
  const claude = readThinking(thinking ?? older)
  const novaEffort = readNovaEffort(nova)
  const effort = effortOf(plain) ?? effortOf(memberOf(output, 'effort')) ?? novaEffort
  const outer = readEffortOf(body)
  const reasoning = omitUndefined({ ...claude, effort: effort ?? outer })
  const novaTopK = memberOf(inference, 'topK')
  const left = {
    ...others,
    ...leftOfThinking('thinking', thinking, claude),
    ...leftOfThinking('reasoning_config', older, thinking === undefined ? claude : {}),
    ...leftOf('reasoningConfig', nova, novaEffort === undefined ? [] : ['type', 'maxReasoningEffort']),
    ...leftOf('output_config', output, effortOf(memberOf(output, 'effort')) === undefined ? [] : ['effort']),
    ...leftOf('inferenceConfig', inference, typeof novaTopK === 'number' ? ['topK'] : []),
    ...(typeof topK === 'number' || topK === undefined ? {} : { top_k: topK }),
    ...(plain === undefined || effortOf(plain) !== undefined ? {} : { reasoning_effort: plain }),
  }
  return omitUndefined({
    reasoning: Object.keys(reasoning).length === 0 ? undefined : reasoning,
    topK: typeof topK === 'number' ? topK : typeof novaTopK === 'number' ? novaTopK : undefined,
    unread: Object.keys(left).length === 0 ? undefined : left,
  })
}

const displays = ['summarized', 'omitted'] as const

function readThinking(value: JsonValue | undefined): Reasoning {
  if (!isJsonObject(value)) return {}
  const { type, budget_tokens: budget, display } = value
  const budgetTokens = typeof budget === 'number' && budget > 0 ? budget : undefined
  const shown = displays.find((word) => word === display)
  switch (type) {
    case 'enabled':
      return omitUndefined({ mode: 'on' as const, budgetTokens, display: shown })
    case 'adaptive':
      return omitUndefined({ mode: 'adaptive' as const, display: shown })
    case 'disabled':
      return { mode: 'off' }
    default:
      return {}
  }
}

/** The members of `thinking` that were not read. The budget and the display have no effect if it is off. */
function leftOfThinking(name: string, value: JsonValue | undefined, read: Reasoning): JsonObject {
  const { mode, budgetTokens, display } = read
  if (mode === undefined) return leftOf(name, value, [])
  const members = ['type']
  if (mode === 'off' || budgetTokens !== undefined) members.push('budget_tokens')
  if (mode === 'off' || display !== undefined) members.push('display')
  return leftOf(name, value, members)
}

/** Undefined where the type or the effort is not one of those that Nova documents. */
function readNovaEffort(value: JsonValue | undefined): Effort | undefined {
  if (!isJsonObject(value)) return undefined
  const { type, maxReasoningEffort: effort } = value
  if (type === 'disabled') return 'none'
  if (type !== 'enabled') return undefined
  return effort === undefined ? 'medium' : effortOf(effort)
}

/** Reads the newer field for the effort, which is next to the output format. */
function readEffortOf(body: JsonObject): Effort | undefined {
  return effortOf(memberOf(body['outputConfig'], 'effort'))
}

function effortOf(value: JsonValue | undefined): Effort | undefined {
  return efforts.find((word) => word === value)
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined
}

/** An object without the members that were read. Empty if no other members remain. */
function leftOf(name: string, value: JsonValue | undefined, read: readonly string[]): JsonObject {
  if (value === undefined) return {}
  if (!isJsonObject(value)) return { [name]: value }
  const members = Object.entries(value).filter(([member]) => !read.includes(member))
  return members.length === 0 ? {} : { [name]: Object.fromEntries(members) }
}
