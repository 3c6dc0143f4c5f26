import type { Turn } from '../../../canonical/request.ts'
import { flatMapInSteps, isLong, type Steps } from '../../../kit/async/steps.ts'
import { groupNeighbours } from '../../../kit/collections/group-neighbours.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { dropEmptyTurns } from '../../fields/drop-empty-turns.ts'
import { alignResults } from '../../tools/align-results.ts'
import { pairCalls } from '../../tools/pair-calls.ts'
import { withExtras } from '../values/extras.ts'
import { writeAssistant } from './write-assistant.ts'
import { textOrParts, writeParts } from './write-content.ts'
import { nameField, type WriteContext } from './write-context.ts'
import { writeToolResults } from './write-tool-result.ts'

/** Writes the messages of a conversation, in an order that the server accepts. */
export function* writeMessages(turns: readonly Turn[], context: WriteContext): Steps<readonly JsonObject[]> {
  const { dialect, losses } = context
  const aligned = alignResults(dropEmptyTurns(turns, 'chat', losses), losses)
  const spoken = dialect.tools ? pairCalls(aligned, 'answered', losses) : aligned
  const messages = yield* flatMapInSteps(spoken, (turn) => writeTurn(turn, context))
  if (isLong(messages)) yield
  return dialect.turnOrder === 'any' ? messages : alternateTurns(messages, context)
}

/** The roles `system` and `developer` have the same authority. The dialect decides which name the server gets. */
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
 * Puts messages into the order that strict servers require: first the system prompt, then alternating user and
 * assistant messages. Adjacent messages of one role are merged. Later system text moves to the front, which is
 * declared.
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
