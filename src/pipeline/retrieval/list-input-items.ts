import { GatewayError } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import type { StoredResponseRequest } from '../exchange/caller-request.ts'
import { type ItemGroup, listItems } from '../exchange/stored-conversation.ts'
import { inputItemId } from '../stored-responses/response-ids.ts'

// https://platform.openai.com/docs/api-reference/responses/input-items, seen 2026-11-22
const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/** Lists one page of the items from which an answer was made. */
export function listInputItems(
  groups: readonly ItemGroup[],
  { id, query }: Pick<StoredResponseRequest, 'id' | 'query'>,
): JsonObject {
  const params = new URLSearchParams(query)
  const items = groups.flatMap(listItems).map((item, index) => nameItem(item, id, index))
  if (readOrder(params) === 'desc') items.reverse()
  const limit = readLimit(params)
  const start = findStart(items, params.get('after'))
  const data = items.slice(start, start + limit)
  return {
    object: 'list',
    data,
    first_id: idOf(data[0]),
    last_id: idOf(data.at(-1)),
    has_more: start + limit < items.length,
  }
}

/** An item in the form of the API: with an ID and a type, and with the text of a message as parts. */
function nameItem(item: JsonValue, responseId: string, index: number): JsonObject {
  const given: JsonObject = isJsonObject(item) ? item : {}
  const type = typeof given['type'] === 'string' ? given['type'] : 'message'
  const id = typeof given['id'] === 'string' ? given['id'] : inputItemId(type, responseId, index)
  const named: JsonObject = { ...given, type, id }
  const { content, role } = named
  if (type !== 'message') return named
  const part = role === 'assistant' ? { type: 'output_text', annotations: [] } : { type: 'input_text' }
  const parts = typeof content === 'string' ? [{ ...part, text: content }] : content
  return { status: 'completed', ...named, content: parts ?? [] }
}

function readOrder(params: URLSearchParams): 'asc' | 'desc' {
  const order = params.get('order') ?? 'desc'
  if (order === 'asc' || order === 'desc') return order
  throw invalid('order', 'must be "asc" or "desc"')
}

function readLimit(params: URLSearchParams): number {
  const text = params.get('limit')
  if (text === null) return DEFAULT_LIMIT
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw invalid('limit', `must be a whole number from 1 to ${MAX_LIMIT}`)
}

function findStart(items: readonly JsonObject[], after: string | null): number {
  if (after === null) return 0
  const index = items.findIndex((item) => item['id'] === after)
  if (index === -1) throw invalid('after', 'must be the id of an item of this response')
  return index + 1
}

function idOf(item: JsonObject | undefined): string | null {
  return typeof item?.['id'] === 'string' ? item['id'] : null
}

function invalid(param: string, what: string): GatewayError {
  return new GatewayError('invalid_field', { param, message: `The parameter "${param}" ${what}.` })
}
