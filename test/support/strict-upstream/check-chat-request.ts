import { Refusal } from '../agent/conversation.ts'
import { readChatConversation } from '../agent/read-chat-conversation.ts'
import { type Fields, fieldsOf, listOf, wordOf } from '../second-reader/meaning.ts'
import type { Account } from './account.ts'
import type { StrictRequest } from './strict-request.ts'

const MAX_ID_CHARACTERS = 40

/**
 * The reasoning that a service shows: nothing, as OpenAI; `reasoning_details` with their proofs, as OpenRouter; or
 * their words as `reasoning_content`, which it demands back, as DeepSeek.
 */
export type ChatReasoning = 'hidden' | 'details' | 'content'

export interface ChatTerms {
  readonly account: Account
  readonly reasoning: ChatReasoning
}

/** Takes a request as the chat rules of `rules.md` allow. Throws `Refusal`. */
export function checkChatRequest(body: unknown, { account, reasoning }: ChatTerms): StrictRequest {
  const request = fieldsOf(body)
  const messages = listOf(request['messages']).map(fieldsOf)
  for (const message of messages) checkIds(message)
  const details = messages.flatMap((message) => listOf(message['reasoning_details']).map(fieldsOf))
  if (details.length > 0 && reasoning !== 'details') refuse('C8', 'there is no field reasoning_details')
  // Words without a proof prove nothing and are not looked at.
  const proofs = reasoning === 'content' ? checkWords(request, messages, account) : details.flatMap(proofsOf)
  for (const detail of details) checkDetail(detail, account)
  const { thinking, ...others } = request
  const vendor = reasoning === 'content' ? others : request
  const plain = reasoning === 'hidden' ? body : { ...vendor, messages: messages.map(withoutReasoning) }
  const isOff = fieldsOf(thinking)['type'] === 'disabled'
  return {
    ...readChatConversation(plain),
    wantsThinking: reasoning === 'content' ? !isOff : request['reasoning_effort'] !== undefined,
    proofs,
    imageCount: messages.flatMap(({ content }) => listOf(content)).filter(isImage).length,
  }
}

/**
 * Checks, with tools in the request, that every earlier answer has its reasoning beside it; one that had none says so.
 */
function checkWords(
  { tools, thinking }: Fields,
  messages: readonly Fields[],
  account: Account,
): readonly string[] {
  const answers = messages.filter(({ role }) => role === 'assistant')
  const isThinking = fieldsOf(thinking)['type'] !== 'disabled'
  const missing = answers.findIndex((message) => typeof message['reasoning_content'] !== 'string')
  if (tools !== undefined && isThinking && missing !== -1) {
    refuse('C9', 'The reasoning_content in the thinking mode must be passed back to the API.')
  }
  return answers.flatMap((message) => account.proofOf(wordOf(message['reasoning_content'])) ?? [])
}

function checkIds(message: Fields): void {
  const ids = listOf(message['tool_calls']).map((call) => wordOf(fieldsOf(call)['id']))
  const long = ids.find((id) => id.length > MAX_ID_CHARACTERS)
  if (long !== undefined) {
    refuse('C5', `an id has ${long.length} characters, expected a string with maximum length 40`)
  }
  if (new Set(ids).size < ids.length) refuse('C5', `two calls have one id: ${ids}`)
}

function proofsOf({ signature, data }: Fields): readonly string[] {
  return [signature, data].filter((proof) => typeof proof === 'string')
}

function checkDetail(detail: Fields, account: Account): void {
  const { type, text, signature, data } = detail
  if (type === 'reasoning.encrypted' && !account.knows(wordOf(data))) {
    refuse('C8', 'encrypted reasoning could not be verified')
  }
  if (typeof signature === 'string' && !account.knows(signature, wordOf(text))) {
    refuse('C8', 'Invalid `signature` in `thinking` block')
  }
}

/** Removes what such a service has beside the official reference: reasoning, and marks for the cache. */
function withoutReasoning(message: Fields): Fields {
  const { reasoning_details: _details, reasoning: _words, reasoning_content: _text, ...rest } = message
  const { content } = rest
  return withoutMark(Array.isArray(content) ? { ...rest, content: content.map(withoutMark) } : rest)
}

function withoutMark(part: unknown): Fields {
  const { cache_control: _mark, ...rest } = fieldsOf(part)
  return rest
}

function isImage(part: unknown): boolean {
  return fieldsOf(part)['type'] === 'image_url'
}

function refuse(rule: string, message: string): never {
  throw new Refusal(`${rule}: ${message}`)
}
