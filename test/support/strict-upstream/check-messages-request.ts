import { Refusal } from '../agent/conversation.ts'
import { readMessagesConversation } from '../agent/read-messages-conversation.ts'
import { type Fields, fieldsOf, listOf, wordOf } from '../second-reader/meaning.ts'
import type { Account } from './account.ts'
import { checkHeldSchemas } from './check-held-schemas.ts'
import type { StrictRequest } from './strict-request.ts'

export interface MessagesTerms {
  readonly betas: string
  readonly account: Account
  /** Whether the model continues an answer that is begun. */
  readonly prefill?: boolean
}

interface Turn {
  readonly role: string
  readonly blocks: Fields[]
}

/** Takes a request as the messages rules of `rules.md` allow. Throws `Refusal`, which names the rule. */
export function checkMessagesRequest(body: unknown, terms: MessagesTerms): StrictRequest {
  const { account, betas, prefill = true } = terms
  const turns = joinTurns(fieldsOf(body)['messages'])
  for (const [index, turn] of turns.entries()) checkOrder(turn, turns[index - 1], index)
  checkIds(turns)
  checkRedacted(turns, account)
  checkEnd(turns, prefill)
  checkHeldSchemas(fieldsOf(body))
  const conversation = readMessagesConversation(body, betas, ({ thinking, signature }) =>
    account.knows(signature, thinking),
  )
  checkThoughtBefore(fieldsOf(fieldsOf(body)['thinking']), turns)
  const blocks = turns.flatMap((turn) => turn.blocks)
  return {
    ...conversation,
    proofs: blocks.flatMap((block) => proofOf(block)),
    imageCount: blocks.reduce((sum, block) => sum + countImages(block), 0),
  }
}

function joinTurns(messages: unknown): readonly Turn[] {
  const turns: Turn[] = []
  for (const [index, message] of listOf(messages).map(fieldsOf).entries()) {
    const role = wordOf(message['role'])
    if (role === 'system') continue
    const { content } = message
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    const isLastOfAssistant = role === 'assistant' && index === listOf(messages).length - 1
    if (blocks.length === 0 && !isLastOfAssistant) refuse('M5', `messages.${index} has no content`)
    const last = turns.at(-1)
    if (last?.role === role) last.blocks.push(...blocks.map(fieldsOf))
    else turns.push({ role, blocks: blocks.map(fieldsOf) })
  }
  if (turns[0]?.role !== 'user') refuse('M12', 'the first message must be the user’s')
  return turns
}

function checkOrder({ role, blocks }: Turn, before: Turn | undefined, index: number): void {
  const types = blocks.map(({ type }) => type)
  if (blocks.some((block) => block['type'] === 'text' && wordOf(block['text']).trim() === '')) {
    refuse('M5', `messages.${index}: a text is empty or white space`)
  }
  const isThought = types.at(-1) === 'thinking' || types.at(-1) === 'redacted_thinking'
  if (role === 'assistant' && isThought) refuse('M8', `messages.${index} ends in thinking`)
  const firstOther = types.findIndex((type) => type !== 'tool_result')
  if (role === 'user' && firstOther !== -1 && types.lastIndexOf('tool_result') > firstOther) {
    refuse('M3', `messages.${index}: results must come first`)
  }
  const callCount = before?.blocks.filter(({ type }) => type === 'tool_use').length ?? 0
  const resultCount = types.filter((type) => type === 'tool_result').length
  if (callCount !== resultCount) {
    refuse('M2', `messages.${index}: ${callCount} calls before it, and ${resultCount} results`)
  }
}

function checkIds(turns: readonly Turn[]): void {
  const seen = new Set<string>()
  for (const block of turns.flatMap(({ blocks }) => blocks)) {
    if (block['type'] !== 'tool_use') continue
    const id = wordOf(block['id'])
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id) || seen.has(id)) refuse('M4', `the id ${JSON.stringify(id)}`)
    seen.add(id)
  }
}

function checkRedacted(turns: readonly Turn[], account: Account): void {
  for (const { type, data } of turns.flatMap(({ blocks }) => blocks)) {
    if (type === 'redacted_thinking' && !account.knows(wordOf(data)))
      refuse('M6', 'Invalid `data` in `redacted_thinking` block')
  }
}

function checkEnd(turns: readonly Turn[], prefill: boolean): void {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return
  if (!prefill) refuse('M13', 'This model does not support assistant message prefill.')
  const text = wordOf(last.blocks.at(-1)?.['text'])
  if (text !== text.trimEnd()) refuse('M13', 'final assistant content cannot end with trailing whitespace')
}

function checkThoughtBefore({ type }: Fields, turns: readonly Turn[]): void {
  if (type !== 'enabled') return
  const isLoop = ({ role, blocks }: Turn) => role === 'user' && blocks[0]?.['type'] === 'tool_result'
  const last = turns.at(-1)
  if (last === undefined || !isLoop(last)) return
  const start = turns.findLastIndex((turn) => turn.role === 'user' && !isLoop(turn))
  const first = turns.slice(start + 1).find(({ role }) => role === 'assistant')?.blocks[0]?.['type']
  if (first === 'thinking' || first === 'redacted_thinking') return
  refuse('M7', `Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first)}\``)
}

function proofOf(block: Fields): readonly string[] {
  if (block['type'] === 'thinking') return [wordOf(block['signature'])]
  return block['type'] === 'redacted_thinking' ? [wordOf(block['data'])] : []
}

function countImages(block: Fields): number {
  const inner = listOf(block['content']).map(fieldsOf)
  return [block, ...inner].filter(({ type }) => type === 'image').length
}

function refuse(rule: string, message: string): never {
  throw new Refusal(`${rule}: ${message}`)
}
