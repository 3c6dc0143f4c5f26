import type { JsonObject } from '../../../kit/json/json.ts'
import { writeNamedFrame } from '../../../kit/sse/write-named-frame.ts'

/**
 * Writes blocks one after the other. The format's blocks never overlap and their indexes have no gap, while parallel
 * calls of the chat format grow side by side. Deltas of a later block are therefore held until earlier blocks end.
 */
export interface BlockSequencer {
  /** Keeps the place of a block that starts later, or never. Later blocks are held as if it had started. */
  reserve(block: number): void
  start(block: number, content: JsonObject): string
  delta(block: number, delta: JsonObject): string
  stop(block: number): string
  /** Ends every block that was started or has a place. */
  stopAll(): string
}

interface HeldBlock {
  readonly block: number
  /** Undefined while the block has its place alone. */
  content: JsonObject | undefined
  readonly deltas: JsonObject[]
  isEnded: boolean
}

interface SequencerState {
  nextIndex: number
  current: number | undefined
  /** Whether the current block has started. It has its place alone before that. */
  isStarted: boolean
  /** The held blocks in the order of their places. */
  readonly held: Map<number, HeldBlock>
}

export function createBlockSequencer(): BlockSequencer {
  const state: SequencerState = { nextIndex: 0, current: undefined, isStarted: false, held: new Map() }
  return {
    reserve: (block) => reserve(state, block),
    start(block, content) {
      if (state.current !== block) reserve(state, block)
      if (state.current === block) return writeStart(state, content)
      const held = state.held.get(block)
      if (held !== undefined) held.content = content
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

/** Makes a block the current one or puts it behind the held ones. A block that has its place keeps it. */
function reserve(state: SequencerState, block: number): void {
  if (state.current === undefined) {
    state.current = block
    state.isStarted = false
  } else if (!state.held.has(block)) {
    state.held.set(block, { block, content: undefined, deltas: [], isEnded: false })
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
    reserve(state, held.block)
    if (held.content !== undefined) text += writeStart(state, held.content)
    for (const delta of held.deltas) text += writeDelta(state, delta)
    if (held.isEnded) text += writeStop(state)
  }
  return text
}

function writeStart(state: SequencerState, content: JsonObject): string {
  state.isStarted = true
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
  if (!state.isStarted) return ''
  return writeNamedFrame('content_block_stop', { type: 'content_block_stop', index: state.nextIndex - 1 })
}
