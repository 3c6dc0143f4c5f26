import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { groupNeighbours } from '../../../kit/values/group-neighbours.ts'
import { lose, type WriteContext } from './write-context.ts'

/**
 * Messages in the order that strict servers demand: the system's words first, then users and assistants in turns.
 * Neighbours of one role become one message; what the system said later moves to the front, declared.
 */
export function alternateTurns(
  messages: readonly JsonObject[],
  context: WriteContext,
): readonly JsonObject[] {
  const isSystem = ({ role }: JsonObject) => role === 'system' || role === 'developer'
  const system = messages.filter(isSystem)
  const spoken = messages.filter((message) => !isSystem(message))
  if (messages.slice(0, system.length).some((message) => !isSystem(message))) {
    lose(context, 'system-position', 'approximated')
  }
  const groups = groupNeighbours(spoken, (message, before) => before['role'] === message['role'])
  return [...system, ...groups.map(joinMessages)]
}

function joinMessages(messages: readonly [JsonObject, ...JsonObject[]]): JsonObject {
  const [only] = messages
  if (messages.length === 1) return only
  const joined: Record<string, JsonValue | undefined> = {}
  for (const message of messages) Object.assign(joined, message)
  joined['content'] = joinContents(messages.map(({ content }) => content))
  return joined
}

/** Texts are one text as long as nothing else has come. */
function joinContents(contents: readonly (JsonValue | undefined)[]): JsonValue {
  const end = contents.findIndex((content) => typeof content !== 'string')
  const text = contents.slice(0, end === -1 ? contents.length : end).join('\n\n')
  return end === -1 ? text : [text, ...contents.slice(end)].flatMap(partsOf)
}

function partsOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (isJsonArray(content)) return content
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : []
}
