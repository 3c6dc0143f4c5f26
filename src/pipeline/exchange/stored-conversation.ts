import { isSealedSignature } from '../../canonical/carried-reasoning.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import type { StoredResponse } from '../../stored-answers/stored-response.ts'

/** Items of a conversation that came from one source. */
export interface ItemGroup {
  /** The items as callers write them: one text, or a list of items. */
  readonly items: JsonValue
  /** The account whose unsealed reasoning signatures the items contain; undefined if they contain none. */
  readonly account: string | undefined
}

/** The stored part of a request, next to its answer. */
export interface StoredInput {
  readonly groups: readonly ItemGroup[]
  /** The account whose unsealed reasoning signatures the answer contains; undefined if it contains none. */
  readonly account: string | undefined
}

/** A response whose content is stored here. */
export interface ReadResponse {
  readonly input: StoredInput
  readonly response: JsonObject
}

export function readStored({ content }: StoredResponse): ReadResponse | undefined {
  if (content.type === 'absent') return undefined
  const input = tryParseJson(content.input)
  const response = tryParseJson(content.response)
  if (!isJsonObject(input) || !isJsonArray(input['groups']) || !isJsonObject(response)) return undefined
  const { account } = input
  const groups = input['groups'].filter(isJsonObject).map(readGroup)
  return { input: { groups, account: typeof account === 'string' ? account : undefined }, response }
}

function readGroup({ items, account }: JsonObject): ItemGroup {
  return { items: items ?? [], account: typeof account === 'string' ? account : undefined }
}

/** Whether the response has ended, so that a conversation can continue from it. */
export function hasEnded({ status }: JsonObject): boolean {
  return status === 'completed' || status === 'incomplete'
}

/** Whether the provider is still working on the response. Its usage is not known yet in that case. */
export function isInProgress({ status }: JsonObject): boolean {
  return status === 'queued' || status === 'in_progress'
}

/** The answer's own items. */
export function outputOf({ input, response }: ReadResponse): ItemGroup {
  const { output } = response
  const items = isJsonArray(output) ? output : []
  return { items, account: input.account }
}

export function listItems({ items }: Pick<ItemGroup, 'items'>): readonly JsonValue[] {
  if (isJsonArray(items)) return items
  return typeof items === 'string' ? [{ type: 'message', role: 'user', content: items }] : []
}

/**
 * The conversation as this account may see it. A provider refuses reasoning that another account encrypted, so
 * signatures of other accounts are removed. A signature that Headgate sealed names its account itself.
 */
export function itemsFor(groups: readonly ItemGroup[], account: string): readonly JsonValue[] {
  return groups.flatMap((group) => {
    const items = listItems(group)
    return group.account === undefined || group.account === account ? items : items.flatMap(withoutSignature)
  })
}

function withoutSignature(item: JsonValue): readonly JsonValue[] {
  if (!isJsonObject(item) || item['type'] !== 'reasoning') return [item]
  const { encrypted_content: signature, id: _id, ...words } = item
  if (typeof signature === 'string' && isSealedSignature(signature)) return [item]
  return saysSomething(item['summary']) || saysSomething(item['content']) ? [words] : []
}

function saysSomething(parts: JsonValue | undefined): boolean {
  return isJsonArray(parts) && parts.length > 0
}
