import { isGeminiReasoning } from '../../../canonical/carried-reasoning.ts'
import type { AssistantBlock, ThinkingBlock, UserBlock } from '../../../canonical/content.ts'
import type { Turn } from '../../../canonical/request.ts'
import { TurnList } from '../../../canonical/turn-list.ts'
import { endsStep, type Steps } from '../../../kit/async/steps.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import {
  asObject,
  invalidField,
  joinPath,
  missingField,
  readArray,
  readString,
} from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { withOwnNames } from './own-names.ts'
import { isResultPart, readModelPart, readSystemPart, readUserPart } from './read-content.ts'
import { OpenCalls, readResult } from './read-tool-result.ts'
import { contentFields } from './request-fields.ts'

const known = knownFields(contentFields)

interface ContentsState {
  readonly turns: TurnList
  /** Calls that no result has answered yet. */
  open: OpenCalls
  /** The number of calls without an ID so far. */
  unnamedCalls: number
  /** The blocks of the model's last turn, to which the next content may add. */
  said: AssistantBlock[]
}

/** Reads the conversation in normal form: first the system instruction, then the contents. */
export function* readMessages(body: JsonObject): Steps<readonly Turn[]> {
  const state: ContentsState = { turns: new TurnList(), open: new OpenCalls(), unnamedCalls: 0, said: [] }
  readSystem(state.turns, body['systemInstruction'])
  const { contents } = body
  if (contents === undefined || contents === null) throw missingField('contents')
  const list = isJsonArray(contents) ? contents : [contents]
  if (list.length === 0) throw invalidField('contents', 'an array with at least one content')
  for (const [index, item] of list.entries()) {
    const path = isJsonArray(contents) ? `contents[${index}]` : 'contents'
    readContent(state, asObject(item, path), path)
    if (endsStep(index)) yield
  }
  return state.turns.all.map((turn) =>
    turn.role === 'assistant' ? { ...turn, content: joinThoughts(turn.content) } : turn,
  )
}

/** Reads a content without a role. Accepts a plain text too, since the SDKs send the system instruction that way. */
function readSystem(turns: TurnList, value: JsonValue | undefined): void {
  const path = 'systemInstruction'
  if (value === undefined || value === null) return
  if (typeof value === 'string') {
    turns.add({ role: 'system', authority: 'system', content: [{ type: 'text', text: value }] })
    return
  }
  const holder = isJsonArray(value) ? { parts: value } : asObject(value, path)
  const parts = partsOf(holder, path)
  if (parts.length === 0) return
  const content = parts.map((part, index) => readSystemPart(part, `${path}.parts[${index}]`))
  turns.add({ role: 'system', authority: 'system', content, ...toExtras(leftoversOf(holder, known)) })
}

/** The parts of a content. A single part is valid without a list around it. */
function partsOf(content: JsonObject, path: string): readonly JsonObject[] {
  const innerPath = joinPath(path, 'parts')
  if (isJsonObject(content['parts'])) return [content['parts']]
  const parts = readArray(content, 'parts', path) ?? []
  return parts.map((part, index) => asObject(part, `${innerPath}[${index}]`))
}

function readContent(state: ContentsState, source: JsonObject, path: string): void {
  const content = withOwnNames(source, contentFields)
  const parts = partsOf(content, path)
  const extras = toExtras(leftoversOf(content, known))
  const role = readString(content, 'role', path)?.toLowerCase() ?? ''
  switch (role) {
    case 'model':
      readModelTurn(state, parts, { path, extras })
      return
    // The package @google/generative-ai sends results in this role.
    case 'function':
    case 'tool':
    case 'user':
    case '':
      readUserTurn(state, parts, { path, extras })
      return
    case 'system':
      state.turns.add({
        role,
        authority: 'system',
        content: parts.map((part, index) => readSystemPart(part, `${path}.parts[${index}]`)),
        ...extras,
      })
      return
    default:
      throw invalidField(joinPath(path, 'role'), '"user" or "model"')
  }
}

interface ContentInput {
  readonly path: string
  readonly extras: ReturnType<typeof toExtras>
}

function readModelTurn(
  state: ContentsState,
  parts: readonly JsonObject[],
  { path, extras }: ContentInput,
): void {
  const callId = () => {
    state.unnamedCalls += 1
    return `call_${state.unnamedCalls}`
  }
  const blocks = parts.flatMap((part, index): readonly AssistantBlock[] =>
    readModelPart(part, `${path}.parts[${index}]`, callId),
  )
  const calls = blocks.filter((block) => block.type === 'tool-call').map(({ id, name }) => ({ id, name }))
  const { last } = state.turns
  // Clients store each chunk of a stream as a separate content.
  const goesOn = last?.role === 'assistant' && last.extras === undefined && extras.extras === undefined
  if (!goesOn) {
    state.said = []
    state.open = new OpenCalls()
    state.turns.add({ role: 'assistant', content: state.said, ...extras })
  }
  for (const block of blocks) state.said.push(block)
  for (const call of calls) state.open.add(call)
}

/** Reads a user's content: first the tool results, which come first in every format, then the other parts. */
function readUserTurn(
  state: ContentsState,
  parts: readonly JsonObject[],
  { path, extras }: ContentInput,
): void {
  const said: UserBlock[] = []
  for (const [index, part] of parts.entries()) {
    const innerPath = `${path}.parts[${index}]`
    if (isResultPart(part)) state.turns.addResult(readResult(part, innerPath, state.open))
    else said.push(readUserPart(part, innerPath))
  }
  if (said.length === 0 && parts.length > 0) return
  state.turns.add({ role: 'user', content: said, ...extras })
}

/**
 * Joins the pieces of a thought by another maker and adds its signature again. Callers of this format receive such a
 * thought as several texts, and its signature on the part after them.
 */
function joinThoughts(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  const joined: AssistantBlock[] = []
  for (const block of content) {
    const before = joined.at(-1)
    if (block.type === 'thinking' && before?.type === 'thinking' && isWords(before) && goesOn(block))
      joined[joined.length - 1] = { ...block, text: before.text + block.text }
    else joined.push(block)
  }
  return joined
}

/** Whether a block is text without a signature. */
function isWords({ signature, extras }: ThinkingBlock): boolean {
  return signature === undefined && extras === undefined
}

/** Whether the block continues a text before it, or has the signature of another maker for the text before it. */
function goesOn(block: ThinkingBlock): boolean {
  const { text, signature } = block
  return isWords(block) || (text === '' && signature !== undefined && !isGeminiReasoning(block))
}
