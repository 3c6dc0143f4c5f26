import type { LossList } from '../../../canonical/loss.ts'
import type { Turn } from '../../../canonical/request.ts'
import { flatMapInSteps, isLong, type Steps } from '../../../kit/async/steps.ts'
import { groupNeighbours } from '../../../kit/collections/group-neighbours.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { dropEmptyTurns } from '../../fields/drop-empty-turns.ts'
import { fitCalls } from '../../tools/fit-calls.ts'
import { withExtras } from '../values/extras.ts'
import { writeAssistant } from './write-assistant.ts'
import { writeContent } from './write-content.ts'
import type { TurnTarget, WriteContext } from './write-context.ts'
import { attachSignatures, FOREIGN_SIGNATURE } from './write-thinking.ts'
import { writeToolResult } from './write-tool-result.ts'

type SystemTurn = Extract<Turn, { readonly role: 'system' }>

/**
 * Writes the conversation as `systemInstruction` and `contents`. The format allows system text only at the start. The
 * first and the last content are the user's. Calls are followed by the results of all these calls. Consecutive contents
 * of one role become one content.
 */
export function* writeMessages(original: readonly Turn[], target: WriteContext): Steps<JsonObject> {
  const { losses } = target
  const turns = dropEmptyTurns(original, 'gemini', losses)
  const head = turns.findIndex(({ role }) => role !== 'system')
  const isSystemAlone = head === -1
  const split = isSystemAlone ? Math.max(turns.length - 1, 0) : head
  const system = turns.slice(0, split).filter((turn) => turn.role === 'system')
  const signed = attachSignatures(turns.slice(split))
  if (isLong(turns)) yield
  const rest = fitCalls(signed, losses)
  if (isLong(turns)) yield
  if (system.length > 1) losses.lose('system-position', 'approximated')
  const parts = yield* flatMapInSteps(system, (turn) => writeSystemParts(turn, losses))
  const written = signCalls(yield* writeEach(rest, target), target)
  if (isLong(turns)) yield
  const contents = fitEnds(mergeNeighbours(written, losses), losses)
  return parts.length === 0 ? { contents } : { systemInstruction: systemOf(system, parts, losses), contents }
}

function systemOf(system: readonly SystemTurn[], parts: readonly JsonObject[], losses: LossList): JsonObject {
  return system.reduce<JsonObject>(
    (written, { extras }) => withExtras(written, extras, { losses, path: 'messages' }),
    { parts },
  )
}

function writeSystemParts({ content, name }: SystemTurn, losses: LossList): readonly JsonObject[] {
  if (name !== undefined) losses.lose('participant-name', 'dropped')
  return content.map((block) => writeContent(block, losses)).filter((part) => part !== undefined)
}

/** A content. Neighbors of the same role can merge with it unless it holds tool results. */
interface Content {
  readonly role: 'user' | 'model'
  readonly isResult: boolean
  readonly value: JsonObject
}

function* writeEach(turns: readonly Turn[], target: WriteContext): Steps<readonly Content[]> {
  const names = new Map<string, string>()
  return yield* flatMapInSteps(turns, (turn): readonly Content[] => {
    const isResult = turn.role === 'tool'
    const value = writeTurn(turn, { ...target, names })
    if (value === undefined) return []
    return [{ role: turn.role === 'assistant' ? 'model' : 'user', isResult, value }]
  })
}

function writeTurn(turn: Turn, target: TurnTarget): JsonObject | undefined {
  const { losses, names, dialect } = target
  if (turn.role === 'tool') {
    const mediaResults = dialect.geminiModel?.mediaResults ?? true
    const parts = turn.results.flatMap((result) => writeToolResult(result, { names, mediaResults, losses }))
    return { role: 'user', parts }
  }
  if (turn.role === 'system') losses.lose('system-position', 'approximated')
  if (turn.name !== undefined) losses.lose('participant-name', 'dropped')
  const role = turn.role === 'assistant' ? 'model' : 'user'
  const parts =
    turn.role === 'assistant'
      ? writeAssistant(turn, target)
      : turn.content.map((block) => writeContent(block, losses)).filter((part) => part !== undefined)
  if (parts.length > 0) return withExtras({ role, parts }, turn.extras, { losses, path: 'messages' })
  losses.lose('turn-order', 'approximated')
  return undefined
}

/**
 * Signs the first call of each step since the user's last text, if it has no signature. The service refuses such a step
 * without a signature.
 */
function signCalls(contents: readonly Content[], { dialect, losses }: WriteContext): readonly Content[] {
  if (dialect.geminiModel?.signedCalls !== true) return contents
  const lastWords = contents.findLastIndex(({ role, isResult }) => role === 'user' && !isResult)
  return contents.map((content, index) => {
    const { role, value } = content
    if (role === 'user' || index < lastWords) return content
    const { parts } = value
    return isJsonArray(parts) ? { ...content, value: { ...value, parts: signFirst(parts, losses) } } : content
  })
}

function signFirst(parts: readonly JsonValue[], losses: LossList): readonly JsonValue[] {
  const first = parts.findIndex((part) => isJsonObject(part) && part['functionCall'] !== undefined)
  const call = parts[first]
  if (!isJsonObject(call) || call['thoughtSignature'] !== undefined) return parts
  losses.lose('thinking-signature', 'defaulted')
  return parts.with(first, { ...call, thoughtSignature: FOREIGN_SIGNATURE })
}

/** Merges neighbors of one role. Contents with tool results stay separate. */
function mergeNeighbours(contents: readonly Content[], losses: LossList): readonly JsonObject[] {
  const groups = groupNeighbours(
    contents,
    (content, before) => before.role === content.role && !before.isResult && !content.isResult,
  )
  return groups.map((group) => {
    const [only] = group
    if (group.length === 1) return only.value
    losses.lose('turn-order', 'approximated')
    return joinContents(group.map(({ value }) => value))
  })
}

function joinContents(values: readonly JsonObject[]): JsonObject {
  const joined: Record<string, JsonValue | undefined> = {}
  for (const value of values) Object.assign(joined, value)
  joined['parts'] = values
    .map((value) => value['parts'])
    .filter(isJsonArray)
    .flat()
  return joined
}

function fitEnds(contents: readonly JsonObject[], losses: LossList): readonly JsonObject[] {
  const isModels = (content: JsonObject | undefined) => content?.['role'] === 'model'
  const isEmpty = contents.length === 0
  const needsStart = isEmpty || isModels(contents[0])
  const needsEnd = isModels(contents.at(-1))
  if (needsStart || needsEnd) losses.lose('turn-order', 'approximated')
  return [
    ...(needsStart ? [userContent('Begin.')] : []),
    ...contents,
    ...(needsEnd ? [userContent('Continue.')] : []),
  ]
}

function userContent(text: string): JsonObject {
  return { role: 'user', parts: [{ text }] }
}
