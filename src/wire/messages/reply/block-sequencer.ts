import type { JsonObject } from '../../../kit/json/json.ts'
import { writeNamedFrame } from '../../../kit/sse/write-named-frame.ts'

/**
 * Writes blocks one after the other. The format's blocks never overlap and their indexes have no gap, while parallel
 * calls of the chat format grow side by side. Deltas of a later block are therefore held until earlier blocks end.
 */
export interface BlockSequencer {
  start(block: number, content: JsonObject): string
  delta(block: number, delta: JsonObject): string
  stop(block: number): string
  /** Ends every block that was started. */
  stopAll(): string
}

interface HeldBlock {
  readonly block: number
  readonly content: JsonObject
  readonly deltas: JsonObject[]
  isEnded: boolean
}

interface SequencerState {
  nextIndex: number
  current: number | undefined
  /** The held blocks in the order of their starts. */
  readonly held: Map<number, HeldBlock>
}

export function createBlockSequencer(): BlockSequencer {
  const state: SequencerState = { nextIndex: 0, current: undefined, held: new Map() }
  return {
    start(block, content) {
      if (state.current === undefined) return writeStart(state, block, content)
      state.held.set(block, { block, content, deltas: [], isEnded: false })
      return ''
    },
    delta(block, delta) {
      if (state.current === block) return writeDelta(state, delta)
      hold(state.held.get(block)?.deltas, delta)
      return ''
    },
    stop(block) {
      if (state.current === block) return writeStop(state) + writeHeld(state)
      const held = state.held.get(block)
      if (held !== undefined) held.isEnded = true
      return ''
    },
    stopAll() {
      for (const held of state.held.values()) held.isEnded = true
      return (state.current === undefined ? '' : writeStop(state)) + writeHeld(state)
    },
  }
}

/** Holds a delta. Deltas of the same text are joined, since all held deltas are written at once. */
function hold(deltas: JsonObject[] | undefined, delta: JsonObject): void {
  if (deltas === undefined) return
  const last = deltas.at(-1)
  for (const name of ['text', 'thinking', 'partial_json'] as const) {
    const [before, more] = [last?.[name], delta[name]]
    if (last?.['type'] !== delta['type'] || typeof before !== 'string' || typeof more !== 'string') continue
    deltas[deltas.length - 1] = { ...last, [name]: before + more }
    return
  }
  deltas.push(delta)
}

/** Writes the held blocks up to the first block that has not ended, which becomes the current block. */
function writeHeld(state: SequencerState): string {
  let text = ''
  for (const held of state.held.values()) {
    if (state.current !== undefined) break
    state.held.delete(held.block)
    text += writeStart(state, held.block, held.content)
    for (const delta of held.deltas) text += writeDelta(state, delta)
    if (held.isEnded) text += writeStop(state)
  }
  return text
}

function writeStart(state: SequencerState, block: number, content: JsonObject): string {
  state.current = block
  const index = state.nextIndex
  state.nextIndex += 1
  return writeNamedFrame('content_block_start', {
    type: 'content_block_start',
    index,
    content_block: content,
  })
}

function writeDelta(state: SequencerState, delta: JsonObject): string {
  const index = state.nextIndex - 1
  return writeNamedFrame('content_block_delta', { type: 'content_block_delta', index, delta })
}

function writeStop(state: SequencerState): string {
  state.current = undefined
  return writeNamedFrame('content_block_stop', { type: 'content_block_stop', index: state.nextIndex - 1 })
}
