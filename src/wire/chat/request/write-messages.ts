import type { Turn } from '../../../canonical/request.ts'
import { flatMapInSteps, isLong, type Steps } from '../../../kit/async/steps.ts'
import { groupNeighbours } from '../../../kit/collections/group-neighbours.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { dropEmptyTurns } from '../../fields/drop-empty-turns.ts'
import { withExtras } from '../values/extras.ts'
import { writeAssistant } from './write-assistant.ts'
import { textOrParts, writeParts } from './write-content.ts'
import { nameField, type WriteContext } from './write-context.ts'
import { writeToolResults } from './write-tool-result.ts'

/** The messages of a conversation, in an order that the server takes. */
export function* writeMessages(turns: readonly Turn[], context: WriteContext): Steps<readonly JsonObject[]> {
  const spoken = dropEmptyTurns(turns, 'chat', context.losses)
  const messages = yield* flatMapInSteps(spoken, (turn) => writeTurn(turn, context))
  if (isLong(messages)) yield
  return context.dialect.turnOrder === 'any' ? messages : alternateTurns(messages, context)
}

/** System and developer are one authority under two names: the dialect names the one that the server knows. */
function writeTurn(turn: Turn, context: WriteContext): readonly JsonObject[] {
  if (turn.role === 'tool') return writeToolResults(turn.results, context)
  if (turn.role === 'assistant') return [writeAssistant(turn, context)]
  const message = {
    role: turn.role === 'user' ? 'user' : context.dialect.systemRole,
    ...nameField(turn.name, context),
    content: textOrParts(writeParts(turn.content, context), context),
  }
  return [withExtras(message, turn.extras, { losses: context.losses, path: 'messages' })]
}

/**
 * Messages in the order that strict servers demand: the system prompt first, then users and assistants in turns.
 * Neighbours of one role become one message; later system text moves to the front, declared.
 */
function alternateTurns(messages: readonly JsonObject[], context: WriteContext): readonly JsonObject[] {
  const isSystem = ({ role }: JsonObject) => role === 'system' || role === 'developer'
  const system = messages.filter(isSystem)
  const spoken = messages.filter((message) => !isSystem(message))
  if (messages.slice(0, system.length).some((message) => !isSystem(message))) {
    context.losses.lose('system-position', 'approximated')
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
