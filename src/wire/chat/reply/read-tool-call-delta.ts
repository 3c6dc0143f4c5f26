import { createFailure } from '../../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { toExtras } from '../values/extras.ts'
import type { CallState } from './call-list.ts'
import {
  type ChoiceState,
  failAnswer,
  isCompleteInput,
  type ReaderState,
  startBlock,
} from './reader-state.ts'
import { deltaCustomFields, deltaFunctionFields, deltaToolCallFields } from './reply-fields.ts'

const deltaToolCall = knownFields(deltaToolCallFields)
const deltaFunction = knownFields(deltaFunctionFields)
const deltaCustom = knownFields(deltaCustomFields)

/** One entry of `tool_calls`, as far as it can be read. */
interface CallPiece {
  readonly id: string
  readonly index: number | undefined
  readonly kind: 'function' | 'custom'
  readonly name: string
  readonly input: string
  readonly extras: JsonObject
}

/** Pieces of calls. In a whole answer each entry is a call of its own. */
export function readToolCallDelta(
  state: ReaderState,
  choice: ChoiceState,
  { value, isWhole }: { readonly value: JsonValue | undefined; readonly isWhole: boolean },
): void {
  if (!isJsonArray(value)) return
  for (const item of value) {
    if (!isJsonObject(item)) continue
    const piece = readPiece(item)
    const known = isWhole ? undefined : findCall(choice, piece)
    takePiece(state, choice, { piece, call: known ?? choice.calls.add(piece), isWhole })
  }
}

/** The form of the format's first years: one call, without an id. Some servers send it empty with every answer. */
export function takeFunctionCall(
  state: ReaderState,
  choice: ChoiceState,
  value: JsonValue | undefined,
): void {
  if (!isJsonObject(value)) return
  const piece = readPiece({ function: value })
  if (piece.name === '' && piece.input === '') return
  takePiece(state, choice, { piece, call: choice.lastCall ?? choice.calls.add(piece), isWhole: false })
}

function readPiece(item: JsonObject): CallPiece {
  const isCustom =
    item['type'] === 'custom' || (isJsonObject(item['custom']) && !isJsonObject(item['function']))
  const kind = isCustom ? 'custom' : 'function'
  const holder = item[kind]
  const inner: JsonObject = isJsonObject(holder) ? holder : {}
  const { id, index } = item
  const leftovers = toExtras(leftoversOf(item, deltaToolCall), {
    [kind]: leftoversOf(inner, isCustom ? deltaCustom : deltaFunction),
  })
  return {
    id: typeof id === 'string' ? id : typeof id === 'number' ? String(id) : '',
    index: typeof index === 'number' ? index : undefined,
    kind,
    name: typeof inner['name'] === 'string' ? inner['name'] : '',
    input: inputText(inner[isCustom ? 'input' : 'arguments']),
    extras: leftovers.extras?.fields ?? {},
  }
}

/** Some servers send arguments as an object, not as its text. */
function inputText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

/**
 * Which call a piece goes on with. Servers disagree on what makes a call new: its index, its id, or neither; some give
 * every call index 0, some repeat id and name with each piece, some repeat one id for all calls.
 */
function findCall(choice: ChoiceState, piece: CallPiece): CallState | undefined {
  const { id, index } = piece
  if (id === '') {
    const last = index === undefined ? choice.lastCall : choice.calls.lastOfIndex(index)
    return last !== undefined && isAnother(last, piece) ? undefined : last
  }
  const last = choice.calls.lastOfId(id, index)
  return last !== undefined && isAnother(last, piece) ? undefined : last
}

/** A name and input after a complete input begin another call: joined, the inputs would be no JSON. */
function isAnother(call: CallState, piece: CallPiece): boolean {
  return piece.name !== '' && piece.input.trim() !== '' && isCompleteInput(call)
}

interface PieceOfCall {
  readonly piece: CallPiece
  readonly call: CallState
  readonly isWhole: boolean
}

/** A call starts once its name is known; input that came before is told then. */
function takePiece(state: ReaderState, choice: ChoiceState, { piece, call, isWhole }: PieceOfCall): void {
  choice.lastCall = call
  if (call.isEnded) {
    if (piece.input.trim() !== '') failAnswer(state, createFailure('upstream_bad_response'))
    return
  }
  choice.calls.grow(call, piece.input)
  if (call.block !== undefined) {
    emitInput(state, choice, { call, text: piece.input })
    return
  }
  for (const [name, value] of Object.entries(piece.extras)) {
    if (value !== undefined) call.extras.set(name, value)
  }
  if (piece.name !== '' || isWhole) startCall(state, choice, { call, piece })
}

/** Starts a call that never got a name as well as one that just did. */
export function startCall(
  state: ReaderState,
  choice: ChoiceState,
  {
    call,
    piece,
  }: { readonly call: CallState; readonly piece: { readonly id: string; readonly name: string } },
): void {
  call.block = startBlock(
    state,
    choice,
    omitUndefined({
      type: 'tool-call' as const,
      id: uniqueId(state, choice, { call, id: call.id === '' ? piece.id : call.id }),
      name: piece.name,
      kind: call.kind,
      ...toExtras(Object.fromEntries(call.extras)),
    }),
  )
  choice.calls.noteReady(call)
  emitInput(state, choice, { call, text: call.input.text })
}

function emitInput(
  state: ReaderState,
  choice: ChoiceState,
  { call, text }: { readonly call: CallState; readonly text: string },
): void {
  if (text === '' || call.block === undefined) return
  state.events.push({ type: 'tool-input-delta', choice: choice.index, block: call.block, text })
}

/** Results name their call by its id alone, so one that is missing or taken is made up from the answer's own id. */
function uniqueId(
  state: ReaderState,
  choice: ChoiceState,
  { call, id }: { readonly call: CallState; readonly id: string },
): string {
  if (id !== '' && !choice.calls.isTaken(id, call)) return id
  const source = (id === '' ? state.id : id).replaceAll(/[^\w-]/g, '_')
  return ['call', source, choice.index, call.position].filter((part) => part !== '').join('_')
}
