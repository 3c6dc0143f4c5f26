import { isJsonArray, type JsonObject, type JsonValue } from '../../kit/json.ts'
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
  const joined: JsonObject[] = []
  for (const message of spoken) {
    const last = joined.at(-1)
    if (last === undefined || last['role'] !== message['role']) joined.push(message)
    else joined[joined.length - 1] = joinMessages(last, message)
  }
  return [...system, ...joined]
}

function joinMessages(left: JsonObject, right: JsonObject): JsonObject {
  return { ...left, ...right, content: join(left['content'], right['content']) }
}

function join(left: JsonValue | undefined, right: JsonValue | undefined): JsonValue {
  if (typeof left === 'string' && typeof right === 'string') return `${left}\n\n${right}`
  return [...partsOf(left), ...partsOf(right)]
}

function partsOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (isJsonArray(content)) return content
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : []
}
