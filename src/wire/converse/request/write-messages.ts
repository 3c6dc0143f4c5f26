import type { Turn } from '../../../canonical/request.ts'
import { endsStep, flatMapInSteps, isLong, type Steps } from '../../../kit/async/steps.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { withExtras } from '../values/extras.ts'
import { withPoint } from './cache-point.ts'
import { writeAssistant } from './write-assistant.ts'
import { listOf, writeContent } from './write-content.ts'
import type { WriteContext } from './write-context.ts'
import { writeToolResult } from './write-tool-result.ts'

type SystemTurn = Extract<Turn, { readonly role: 'system' }>

export interface WrittenTurns {
  readonly system: readonly JsonObject[]
  readonly messages: readonly Message[]
}

export interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: readonly JsonObject[]
}

/**
 * Writes the conversation. All system text moves to the start. Users and assistants must alternate, so adjacent turns
 * of one role become one message. Empty messages are left out.
 */
export function* writeMessages(turns: readonly Turn[], context: WriteContext): Steps<WrittenTurns> {
  const systems = turns.filter((turn) => turn.role === 'system')
  const rest = turns.filter((turn) => turn.role !== 'system')
  const isInside = turns.findIndex(({ role }) => role !== 'system') < turns.findLastIndex(isSystem)
  const isAlone = rest.length === 0 && systems.length > 0
  if (isInside || isAlone || systems.length > 1) context.losses.lose('system-position', 'approximated')
  const spoken = isAlone ? systems.slice(0, -1) : systems
  const last = isAlone ? systems.at(-1) : undefined
  return {
    system: yield* flatMapInSteps(spoken, (turn) => writeSystem(turn, context)),
    messages: last === undefined ? yield* joinTurns(rest, context) : asUser(writeSystem(last, context)),
  }
}

function isSystem({ role }: Turn): boolean {
  return role === 'system'
}

/** Writes system text as a user message, since the provider requires at least one message besides the system's. */
function asUser(content: readonly JsonObject[]): readonly Message[] {
  return content.length === 0 ? [] : [{ role: 'user', content }]
}

function writeSystem(turn: SystemTurn, context: WriteContext): readonly JsonObject[] {
  loseTurnFields(turn, context)
  return turn.content.flatMap((block) =>
    withPoint(listOf(writeContent(block, context)), 'cache' in block ? block.cache : undefined, context),
  )
}

function* joinTurns(turns: readonly Turn[], context: WriteContext): Steps<readonly Message[]> {
  const messages: { readonly role: Message['role']; readonly content: JsonObject[] }[] = []
  let hasResults = false
  for (const [index, turn] of turns.entries()) {
    if (endsStep(index)) yield
    const content = writeTurn(turn, context)
    if (content.length === 0) continue
    const role = turn.role === 'assistant' ? 'assistant' : 'user'
    const before = messages.at(-1)
    if (before?.role !== role) {
      messages.push({ role, content: [...content] })
      hasResults = content.some(isResult)
      continue
    }
    if (hasResults && !fitsBesideResults(content, context)) {
      context.losses.lose('turn-order', 'approximated')
      messages.push({ role: 'assistant', content: [{ text: '.' }] }, { role, content: [...content] })
      hasResults = content.some(isResult)
      continue
    }
    hasResults ||= content.some(isResult)
    // Tool results and the user's text after them are one message in any case, so this merge loses nothing.
    if (turns[index - 1]?.role !== 'tool' || turn.role !== 'user')
      context.losses.lose('turn-order', 'approximated')
    for (const block of content) before.content.push(block)
  }
  if (isLong(messages)) yield
  return endWithUser(startWithUser(messages, context), context).map((message) => withWords(message, context))
}

function isResult(block: JsonObject): boolean {
  return block['toolResult'] !== undefined
}

/**
 * Whether content can be in one message with tool results. Some models refuse files beside results, and some everything
 * else.
 */
function fitsBesideResults(content: readonly JsonObject[], { model }: WriteContext): boolean {
  const accepted: readonly string[] | undefined = model.besideResults
  if (accepted === undefined) return true
  const isAccepted = (name: string) =>
    beside.has(name) || accepted.includes(name === 'guardContent' ? 'text' : name)
  return content.every((block) => Object.keys(block).every(isAccepted))
}

/** Blocks that every model takes beside results. */
const beside: ReadonlySet<string> = new Set(['toolResult', 'cachePoint'])

/** Adds a user message at the start if there is none. The first message must be the user's. */
function startWithUser(messages: readonly Message[], context: WriteContext): readonly Message[] {
  if (messages[0]?.role !== 'assistant') return messages
  context.losses.lose('turn-order', 'approximated')
  return [{ role: 'user', content: [{ text: 'Begin.' }] }, ...messages]
}

/** Adds a user message at the end where the model does not continue an answer. */
function endWithUser(
  messages: readonly Message[],
  { dialect, model, losses }: WriteContext,
): readonly Message[] {
  const continues = model.endsWithUser !== true && dialect.messagesModel?.prefill !== false
  if (continues || messages.at(-1)?.role !== 'assistant') return messages
  losses.lose('turn-order', 'approximated')
  return [...messages, { role: 'user', content: [{ text: 'Continue.' }] }]
}

function writeTurn(turn: Turn, context: WriteContext): readonly JsonObject[] {
  switch (turn.role) {
    case 'system':
      return []
    case 'tool':
      return turn.results.flatMap((result) =>
        withPoint([writeToolResult(result, context)], result.cache, context),
      )
    case 'user':
      loseTurnFields(turn, context)
      return turn.content.flatMap((block) =>
        withPoint(listOf(writeContent(block, context)), 'cache' in block ? block.cache : undefined, context),
      )
    case 'assistant':
      loseTurnFields(turn, context)
      return turn.content.flatMap((block) =>
        withPoint(
          listOf(writeAssistant(block, context)),
          'cache' in block ? block.cache : undefined,
          context,
        ),
      )
  }
}

/** Declares the name and the extra fields of a turn as lost, since messages of this format have neither. */
function loseTurnFields(turn: Exclude<Turn, { readonly role: 'tool' }>, context: WriteContext): void {
  if (turn.name !== undefined) context.losses.lose('participant-name', 'dropped')
  if (turn.extras !== undefined && turn.extras.format !== 'converse')
    withExtras({}, turn.extras, { losses: context.losses, path: 'messages' })
}

/**
 * Adds text to a message with a document but without text, since a document requires text in the same message ("A text
 * block must be included when using documents"). A tool result is no text.
 */
function withWords(message: Message, context: WriteContext): Message {
  const { role, content } = message
  const hasDocument = content.some((block) => block['document'] !== undefined)
  const hasWords = content.some((block) => block['text'] !== undefined)
  if (role !== 'user' || !hasDocument || hasWords) return message
  context.losses.lose('document', 'defaulted')
  return { role, content: [...content, { text: 'This is the document.' }] }
}
