import { groupNeighbours } from '../../../kit/collections/group-neighbours.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import type { WriteContext } from './write-context.ts'

type Messages = readonly JsonObject[]

/** Puts messages into the order that the server requires. */
export function orderMessages(messages: Messages, context: WriteContext): Messages {
  const spoken = dropSilent(messages, context)
  switch (context.dialect.turnOrder) {
    case 'any':
      return spoken
    case 'alternating':
      return alternateTurns(spoken, context)
    case 'reply-after-tools':
      return endWithUser(replyAfterTools(leadWithSystem(spoken, context), context), context)
  }
}

/**
 * Drops messages of the assistant that say nothing, such as those with only reasoning that the server does not take
 * back. Some servers refuse them.
 */
function dropSilent(messages: Messages, { losses }: WriteContext): Messages {
  const spoken = messages.filter((message) => !isSilent(message))
  if (spoken.length < messages.length) losses.lose('turn-order', 'approximated')
  return spoken
}

function isSilent(message: JsonObject): boolean {
  if (message['role'] !== 'assistant') return false
  return Object.entries(message).every(([name, value]) => {
    if (name === 'role' || name === 'name') return true
    return name === 'content' ? partsOf(value).every(isEmptyText) : isPlaceholder(name, value)
  })
}

function isEmptyText(part: JsonValue): boolean {
  return isJsonObject(part) && part['text'] === ''
}

/** Whether a field holds the text that stands for missing reasoning. */
function isPlaceholder(name: string, value: JsonValue | undefined): boolean {
  return name.startsWith('reasoning') && typeof value === 'string' && value.trim() === ''
}

function isSystem({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer'
}

/**
 * First the system prompt, then alternating user and assistant messages, the user's first and last. Adjacent messages
 * of one role are merged. Later system text moves to the front, which is declared.
 */
function alternateTurns(messages: Messages, context: WriteContext): Messages {
  const system = messages.filter(isSystem)
  const spoken = messages.filter((message) => !isSystem(message))
  if (messages.slice(0, system.length).some((message) => !isSystem(message))) {
    context.losses.lose('system-position', 'approximated')
  }
  const groups = groupNeighbours(spoken, (message, before) => message['role'] === before['role'])
  const alternating = startWithUser(groups.map(joinMessages), context)
  return [...system, ...endWithUser(alternating, context)]
}

/** Moves system messages after the assistant's or a tool's to the front, which is declared. */
function leadWithSystem(messages: Messages, context: WriteContext): Messages {
  let before: JsonValue | undefined
  const late = new Set<JsonObject>()
  for (const message of messages) {
    if (isSystem(message) && (before === 'assistant' || before === 'tool')) late.add(message)
    else before = message['role']
  }
  if (late.size === 0) return messages
  context.losses.lose('system-position', 'approximated')
  return [...late, ...messages.filter((message) => !late.has(message))]
}

/** Lets the assistant answer results of tools before the user speaks. */
function replyAfterTools(messages: Messages, context: WriteContext): Messages {
  return messages.flatMap((message, index) => {
    if (message['role'] !== 'user' || messages[index - 1]?.['role'] !== 'tool') return [message]
    context.losses.lose('turn-order', 'approximated')
    return [{ role: 'assistant', content: '.' }, message]
  })
}

function startWithUser(messages: Messages, { losses }: WriteContext): Messages {
  if (messages[0]?.['role'] !== 'assistant') return messages
  losses.lose('turn-order', 'approximated')
  return [{ role: 'user', content: 'Begin.' }, ...messages]
}

/** Lets the user speak last, except where the caller asks Mistral to continue its own last message (`prefix`). */
function endWithUser(messages: Messages, { losses }: WriteContext): Messages {
  const last = messages.at(-1)
  if (last?.['role'] !== 'assistant' || last['prefix'] === true) return messages
  losses.lose('turn-order', 'approximated')
  return [...messages, { role: 'user', content: 'Continue.' }]
}

function joinMessages(messages: readonly [JsonObject, ...JsonObject[]]): JsonObject {
  const [only] = messages
  if (messages.length === 1) return only
  const joined: Record<string, JsonValue | undefined> = {}
  for (const message of messages) Object.assign(joined, message)
  joined['content'] = joinContents(messages.map(({ content }) => content))
  return joined
}

/** Joins the leading texts into one text. If anything else follows, the contents become a list of parts. */
function joinContents(contents: readonly (JsonValue | undefined)[]): JsonValue {
  const end = contents.findIndex((content) => typeof content !== 'string')
  const text = contents.slice(0, end === -1 ? contents.length : end).join('\n\n')
  return end === -1 ? text : [text, ...contents.slice(end)].flatMap(partsOf)
}

function partsOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (isJsonArray(content)) return content
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : []
}
