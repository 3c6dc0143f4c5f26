import type { SystemBlock, ToolResultBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { Turn } from '../../../canonical/request.ts'
import { endsStep, flatMapInSteps, isLong, type Steps } from '../../../kit/async/steps.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { withExtras } from '../values/extras.ts'
import { writeAssistant } from './write-assistant.ts'
import { writeContent } from './write-content.ts'
import { writeEach } from './write-each.ts'
import { textOrBlocks } from './write-text.ts'
import { writeToolResult } from './write-tool-result.ts'

type SystemTurn = Extract<Turn, { readonly role: 'system' }>

type UserTurn = Extract<Turn, { readonly role: 'user' }>

type AssistantTurn = Extract<Turn, { readonly role: 'assistant' }>

/**
 * Writes the conversation. System turns at the start become `system`, and later system turns become messages. Adjacent
 * messages of one role stay separate, since the provider joins them itself. Empty messages are left out.
 */
export function* writeMessages(turns: readonly Turn[], losses: LossList): Steps<JsonObject> {
  const headCount = countHead(turns)
  const isSystemAlone = headCount > 0 && headCount === turns.length
  const head = turns
    .slice(0, isSystemAlone ? headCount - 1 : headCount)
    .filter((turn) => turn.role === 'system')
  const rest = turns.slice(head.length)
  const system = yield* writeSystem(head, losses)
  if (isLong(turns)) yield
  return {
    ...(system.length === 0 ? {} : { system: textOrBlocks(system) }),
    messages: isSystemAlone ? writeAsUser(rest, losses) : yield* writeRest(rest, losses),
  }
}

/** The number of turns for `system`. A system turn with extra fields must stay a message, which can carry them. */
function countHead(turns: readonly Turn[]): number {
  const end = turns.findIndex((turn) => turn.role !== 'system' || turn.extras?.format === 'messages')
  return end === -1 ? turns.length : end
}

function* writeSystem(head: readonly SystemTurn[], losses: LossList): Steps<readonly JsonObject[]> {
  if (head.length > 1) losses.lose('system-position', 'approximated')
  return yield* flatMapInSteps(head, (turn) => {
    writeTurn(turn, losses)
    return writeSystemContent(turn.content, losses)
  })
}

function writeSystemContent(content: readonly SystemBlock[], losses: LossList): readonly JsonObject[] {
  return writeEach(content, (block) => writeContent(block, losses))
}

/** Writes system turns as user messages, since the provider requires at least one message besides the system's. */
function writeAsUser(turns: readonly Turn[], losses: LossList): readonly JsonObject[] {
  losses.lose('system-position', 'approximated')
  return turns.flatMap((turn) => {
    if (turn.role !== 'system') return []
    writeTurn(turn, losses)
    const message = messageOf('user', writeSystemContent(turn.content, losses), noFields)
    return message === undefined ? [] : [message]
  })
}

function* writeRest(turns: readonly Turn[], losses: LossList): Steps<readonly JsonObject[]> {
  const messages: JsonObject[] = []
  let results: readonly ToolResultBlock[] = []
  const push = (message: JsonObject | undefined) => {
    if (message !== undefined) messages.push(message)
  }
  for (const [index, turn] of turns.entries()) {
    if (endsStep(index)) yield
    if (turn.role === 'user') {
      push(writeUser(results, turn, losses))
      results = none
      continue
    }
    if (results.length > 0) push(writeUser(results, undefined, losses))
    results = turn.role === 'tool' ? turn.results : none
    if (turn.role === 'assistant') push(writeAssistantMessage(turn, losses))
    if (turn.role === 'system') {
      push(messageOf('system', writeSystemContent(turn.content, losses), writeTurn(turn, losses)))
    }
  }
  if (results.length > 0) push(writeUser(results, undefined, losses))
  return messages
}

const none: readonly ToolResultBlock[] = []

/** Writes one user message: first the tool results, where the provider requires them, then the other content. */
function writeUser(
  results: readonly ToolResultBlock[],
  turn: UserTurn | undefined,
  losses: LossList,
): JsonObject | undefined {
  const answered = results.map((result) => writeToolResult(result, losses))
  if (turn === undefined) return messageOf('user', answered, noFields)
  const spoken = writeEach(turn.content, (block) => writeContent(block, losses))
  const content = answered.length === 0 ? spoken : [...answered, ...spoken]
  return messageOf('user', content, writeTurn(turn, losses))
}

function writeAssistantMessage(turn: AssistantTurn, losses: LossList): JsonObject | undefined {
  const target = { losses, side: 'request' } as const
  const content = writeEach(turn.content, (block) => writeAssistant(block, target))
  return messageOf('assistant', content, writeTurn(turn, losses))
}

/**
 * The extra fields of a message in this format. A message has no participant name. `developer` is another word for the
 * authority of the system.
 */
function writeTurn(turn: Exclude<Turn, { readonly role: 'tool' }>, losses: LossList): JsonObject {
  if (turn.name !== undefined) losses.lose('participant-name', 'dropped')
  return turn.extras === undefined ? noFields : withExtras({}, turn.extras, { losses, path: 'messages' })
}

const noFields: JsonObject = Object.freeze({})

/** Builds a message. Undefined if the message would be empty. */
function messageOf(role: string, content: readonly JsonObject[], fields: JsonObject): JsonObject | undefined {
  if (content.length === 0 && Object.keys(fields).length === 0) return undefined
  return { role, content: textOrBlocks(content), ...fields }
}
