import type { BlockStart, ReplyEvent } from '../../canonical/reply-event.ts'
import { blockKey, type ShownBlock, type ShownTranscript } from '../exchange/shown-transcript.ts'

interface Expected extends Readonly<ShownBlock> {
  /** The length of the text that has been repeated. */
  textSeen: number
  citationsSeen: number
}

const nothingNew: readonly ReplyEvent[] = []

/**
 * Compares another generation with what the caller has seen. It returns only new events, and none until everything
 * shown has been repeated word for word. IDs of calls may differ, and the caller has those of the first generation.
 */
export class ReplayVerifier {
  readonly #expected = new Map<string, Expected>()
  readonly #endedChoices: ReadonlySet<number>
  readonly #held: ReplyEvent[] = []
  #openBlocks = 0

  /** Creates the verifier of one answer. The transcript must not grow while the verifier is in use. */
  constructor(transcript: ShownTranscript) {
    this.#endedChoices = new Set(transcript.endedChoices)
    for (const [key, block] of transcript.blocks) {
      this.#expected.set(key, { ...block, textSeen: 0, citationsSeen: 0 })
      if (block.text !== '') this.#openBlocks += 1
    }
  }

  /** The events that are new to the caller; `diverged` if this answer differs from the one that was shown. */
  verify(event: ReplyEvent): readonly ReplyEvent[] | 'diverged' {
    switch (event.type) {
      case 'reply-start':
        return nothingNew
      case 'block-start':
        return this.#verifyStart(event)
      case 'text-delta':
      case 'tool-input-delta':
        return this.#verifyText(event)
      case 'citation-delta':
      case 'signature-delta':
        return this.#verifyMark(event)
      case 'block-end':
        return this.#verifyEnd(event)
      case 'choice-end':
        if (this.#openBlocks > 0) return 'diverged'
        return this.#endedChoices.has(event.choice) ? nothingNew : this.#passNew(event)
      case 'reply-end':
        return this.#openBlocks > 0 ? 'diverged' : this.#passNew(event)
      case 'failure':
        return [event]
      case 'usage':
      case 'audio-delta':
      case 'logprobs-delta':
        return this.#passNew(event)
    }
  }

  #verifyStart(event: ReplyEvent & { readonly type: 'block-start' }): readonly ReplyEvent[] | 'diverged' {
    const expected = this.#expected.get(blockKey(event))
    if (expected === undefined) return this.#passNew(event)
    return isSameKind(expected.start, event.start) ? nothingNew : 'diverged'
  }

  #verifyText(
    event: ReplyEvent & { readonly type: 'text-delta' | 'tool-input-delta' },
  ): readonly ReplyEvent[] | 'diverged' {
    const expected = this.#expected.get(blockKey(event))
    if (expected === undefined) return this.#passNew(event)
    const known = expected.text.slice(expected.textSeen, expected.textSeen + event.text.length)
    if (!event.text.startsWith(known)) return 'diverged'
    const wasOpen = expected.textSeen < expected.text.length
    expected.textSeen += known.length
    if (wasOpen && expected.textSeen === expected.text.length) this.#openBlocks -= 1
    const text = event.text.slice(known.length)
    if (text === '') return this.#release()
    return expected.isEnded ? 'diverged' : this.#passNew({ ...event, text })
  }

  /** Drops signatures that the caller already has, since they differ between generations of the same text. */
  #verifyMark(
    event: ReplyEvent & { readonly type: 'citation-delta' | 'signature-delta' },
  ): readonly ReplyEvent[] {
    const expected = this.#expected.get(blockKey(event))
    if (expected === undefined) return this.#passNew(event)
    if (event.type === 'signature-delta') return expected.hasSignature ? nothingNew : this.#passNew(event)
    expected.citationsSeen += 1
    return expected.citationsSeen <= expected.citations ? nothingNew : this.#passNew(event)
  }

  #verifyEnd(event: ReplyEvent & { readonly type: 'block-end' }): readonly ReplyEvent[] | 'diverged' {
    const expected = this.#expected.get(blockKey(event))
    if (expected === undefined) return this.#passNew(event)
    if (expected.textSeen < expected.text.length) return 'diverged'
    return expected.isEnded ? nothingNew : this.#passNew(event)
  }

  #passNew(event: ReplyEvent): readonly ReplyEvent[] {
    this.#held.push(event)
    return this.#release()
  }

  #release(): readonly ReplyEvent[] {
    return this.#openBlocks > 0 || this.#held.length === 0 ? nothingNew : this.#held.splice(0)
  }
}

/** Whether two blocks are of the same kind. The provider's ID of a call is not compared. */
function isSameKind(shown: BlockStart, again: BlockStart): boolean {
  if (shown.type !== again.type) return false
  if (shown.type !== 'tool-call' || again.type !== 'tool-call') return true
  return shown.name === again.name && shown.kind === again.kind
}
