import type { ToolCallBlock, ToolResultBlock, UserBlock } from '../../canonical/content.ts'
import type { LossList } from '../../canonical/loss.ts'
import type { Turn } from '../../canonical/request.ts'
import { WaitingItems } from '../../kit/collections/waiting-items.ts'
import { alignResults } from './align-results.ts'
import { fitCallId } from './fit-call-id.ts'

type AssistantTurn = Extract<Turn, { readonly role: 'assistant' }>

export interface CallForm {
  /** Returns an ID in the form that the provider accepts. */
  readonly fitId: (id: string) => string
  /** Whether a result that says that there is none is marked as an error. */
  readonly marksErrors: boolean
}

const markedForm: CallForm = { fitId: fitCallId, marksErrors: true }

interface CallsState {
  readonly form: CallForm
  readonly losses: LossList
  readonly turns: Turn[]
  /** The number of calls with each ID. */
  readonly timesUsed: Map<string, number>
  /** Calls that wait for their results, by the caller's ID. Each holds the ID that is sent. */
  readonly open: WaitingItems<OpenCall>
}

interface OpenCall {
  readonly wireId: string
}

/**
 * Rewrites calls and results so that the provider accepts them. Each ID is unique and has only accepted characters. The
 * results of all calls, and no others, directly follow the calls. A call without a result gets a result that says so. A
 * result without its call becomes text of the user. IDs only connect calls and results, so a different ID is not a
 * loss.
 */
export function fitCalls(
  turns: readonly Turn[],
  losses: LossList,
  form: CallForm = markedForm,
): readonly Turn[] {
  const state: CallsState = { form, losses, turns: [], timesUsed: new Map(), open: new WaitingItems() }
  for (const turn of alignResults(turns, losses)) {
    if (turn.role === 'assistant') addAssistant(state, turn)
    else if (turn.role === 'tool') addResults(state, turn.results)
    else {
      answerOpenCalls(state, [])
      state.turns.push(turn)
    }
  }
  answerOpenCalls(state, [])
  return state.turns
}

function addAssistant(state: CallsState, turn: AssistantTurn): void {
  const content = turn.content.map((block) => (block.type === 'tool-call' ? openCall(state, block) : block))
  const isSame = content.every((block, index) => block === turn.content[index])
  state.turns.push(isSame ? turn : { ...turn, content })
}

function openCall(state: CallsState, call: ToolCallBlock): ToolCallBlock {
  const { fitId } = state.form
  const fitted = fitId(call.id)
  let times = state.timesUsed.get(fitted) ?? 0
  let wireId: string
  // Another call may already have the changed ID as its own.
  do {
    times += 1
    wireId = times === 1 ? fitted : fitId(`${fitted}_${times}`)
  } while (times > 1 && state.timesUsed.has(wireId))
  state.timesUsed.set(fitted, times)
  if (wireId !== fitted) state.timesUsed.set(wireId, 1)
  state.open.add({ wireId }, [call.id])
  return wireId === call.id ? call : { ...call, id: wireId }
}

function addResults(state: CallsState, results: readonly ToolResultBlock[]): void {
  const answered: ToolResultBlock[] = []
  const others: ToolResultBlock[] = []
  for (const result of results) {
    const call = state.open.shift(result.callId)
    if (call === undefined) others.push(result)
    else answered.push(call.wireId === result.callId ? result : { ...result, callId: call.wireId })
  }
  answerOpenCalls(state, answered)
  if (others.length === 0) return
  state.losses.lose('tool-result-content', 'approximated')
  state.turns.push({ role: 'user', content: others.flatMap(emitResult) })
}

/** Answers the open calls with their results. A call without a result gets a text that says so. */
function answerOpenCalls(state: CallsState, results: readonly ToolResultBlock[]): void {
  const missing = state.open.drain().map(({ wireId }): ToolResultBlock => {
    state.losses.lose('tool-result-content', 'defaulted')
    const content = [{ type: 'text' as const, text: 'The tool gave no result.' }]
    return { type: 'tool-result', callId: wireId, content, isError: state.form.marksErrors }
  })
  if (results.length + missing.length > 0)
    state.turns.push({ role: 'tool', results: [...results, ...missing] })
}

function emitResult({ callId, content, isError }: ToolResultBlock): readonly UserBlock[] {
  const words = isError ? `The tool call ${callId} failed:` : `Result of the tool call ${callId}:`
  return [{ type: 'text', text: words }, ...content]
}
