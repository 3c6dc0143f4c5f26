import { isJsonObject } from '../../../src/kit/json/json.ts'
import { checkSchema } from '../agent/check-schema.ts'
import { type AgentCall, Refusal, type Round, type ToolResult } from '../agent/conversation.ts'
import { type Fields, fieldsOf, listOf } from '../second-reader/meaning.ts'
import type { Account } from './account.ts'
import {
  type ResponsesItem,
  type ResponsesRequestBody,
  responsesRequestSchema,
} from './responses-request-schema.ts'
import type { StrictRequest } from './strict-request.ts'

type Call = Extract<ResponsesItem, { readonly type: 'function_call' }>
type Reasoning = Extract<ResponsesItem, { readonly type: 'reasoning' }>
type Result = Extract<ResponsesItem, { readonly type: 'function_call_output' }>

/** Takes a request as the responses rules of `rules.md` allow. Throws `Refusal`. */
export function checkResponsesRequest(value: unknown, account: Account): StrictRequest {
  const body = checkSchema(responsesRequestSchema, value)
  const items = typeof body.input === 'string' ? [] : body.input
  checkItemIds(items)
  for (const [index, item] of items.entries()) {
    if (item.type === 'reasoning') checkReasoning(item, items[index + 1], account)
    if (item.type === 'function_call') checkReasoned(item, items.slice(0, index), account)
  }
  return {
    model: body.model,
    isStream: body.stream === true,
    wantsStreamUsage: true,
    wantsThinking: wantsReasoning(body),
    outputSchema: undefined,
    tools: (body.tools ?? []).map(({ name, parameters }) => ({ name, schema: parameters ?? {} })),
    rounds: readRounds(items),
    proofs: items.flatMap((item) => (item.type === 'reasoning' ? [item.encrypted_content ?? ''] : [])),
    imageCount: items.flatMap(partsOf).filter(({ type }) => type === 'input_image').length,
  }
}

/**
 * Whether reasoning is wanted: what cannot be taken back is of no use, so that nothing is thought where it is not asked
 * for.
 */
function wantsReasoning({ include = [], reasoning }: ResponsesRequestBody): boolean {
  return include.includes('reasoning.encrypted_content') && reasoning?.effort !== 'none'
}

function checkItemIds(items: readonly ResponsesItem[]): void {
  const ids = items.flatMap(({ id }) => (id === undefined ? [] : [id]))
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new Refusal(`R5: Duplicate item found with id ${twice}`)
}

function checkReasoning(item: Reasoning, next: ResponsesItem | undefined, account: Account): void {
  const proof = item.encrypted_content ?? undefined
  if (proof === undefined) {
    throw new Refusal(`R7: Item '${item.id}' not found. Items are not persisted when \`store\` is false.`)
  }
  if (!account.knows(proof)) {
    throw new Refusal('R6: The encrypted content could not be verified.')
  }
  const isFollowed =
    next?.type === 'reasoning' ||
    next?.type === 'function_call' ||
    (next !== undefined && 'role' in next && next.role === 'assistant')
  if (isFollowed) return
  throw new Refusal(
    `R8: Item '${item.id}' of type 'reasoning' was provided without its required following item.`,
  )
}

function checkReasoned({ id }: Call, before: readonly ResponsesItem[], account: Account): void {
  const proof = id === undefined ? undefined : account.reasoningOf(id)
  if (proof === undefined) return
  if (before.some((item) => item.type === 'reasoning' && item.encrypted_content === proof)) return
  throw new Refusal(`R9: Item '${id}' was provided without its required 'reasoning' item`)
}

/** Each call with its output; calls without other items between them are one round. */
function readRounds(items: readonly ResponsesItem[]): readonly Round[] {
  const rounds: { readonly calls: AgentCall[]; readonly results: ToolResult[] }[] = []
  const open = new Map<string, ToolResult[]>()
  const seen = new Set<string>()
  let isCalling = false
  for (const item of items) {
    if (item.type === 'function_call') {
      if (seen.has(item.call_id)) throw new Refusal(`R3: two calls have the id ${item.call_id}`)
      seen.add(item.call_id)
      if (!isCalling) rounds.push({ calls: [], results: [] })
      const round = rounds.at(-1)
      round?.calls.push(readCall(item))
      open.set(item.call_id, round?.results ?? [])
      isCalling = true
    } else if (item.type === 'function_call_output') {
      takeResult(item, open)
      isCalling = false
    } else if ('role' in item && item.role !== 'assistant') isCalling = false
  }
  const [missing] = open.keys()
  if (missing !== undefined) throw new Refusal(`R2: No tool output found for function call ${missing}.`)
  return rounds
}

function takeResult(item: Result, open: Map<string, ToolResult[]>): void {
  const results = open.get(item.call_id)
  if (results === undefined) {
    throw new Refusal(`R2: No tool call found for function call output with call_id ${item.call_id}.`)
  }
  open.delete(item.call_id)
  const { output } = item
  const text =
    typeof output === 'string' ? output : output.map((part) => ('text' in part ? part.text : '')).join('')
  results.push({ callId: item.call_id, text })
}

function readCall({ call_id: id, name, arguments: text }: Call): AgentCall {
  const input: unknown = JSON.parse(text)
  return { id, name, input: isJsonObject(input) ? input : {} }
}

function partsOf(item: ResponsesItem): readonly Fields[] {
  const { content, output } = fieldsOf(item)
  return [...listOf(content), ...listOf(output)].map(fieldsOf)
}
