import type { AssistantBlock, RedactedThinkingBlock, ThinkingBlock } from '../../canonical/content.ts'

/** Reasoning of one answer, and the position of each piece. */
export interface ReasoningLayout {
  readonly pieces: readonly ReasoningPiece[]
  /** The IDs of the calls, in their order. */
  readonly callIds: readonly string[]
  /** Whether any piece is signed. The other pieces are plain text. */
  readonly isSigned: boolean
  /** The approximate size of the texts. */
  readonly bytes: number
}

interface ReasoningPiece {
  readonly block: ThinkingBlock | RedactedThinkingBlock
  /**
   * The next block that is not reasoning: a call by its ID, or a text by its number. Both are absent at the answer's
   * end.
   */
  readonly beforeCall?: string
  readonly beforeText?: number
}

/**
 * Lays out the reasoning of an answer; undefined where there is no reasoning. Unsigned text is included only if it is
 * wanted.
 */
export function layOutReasoning(
  content: readonly AssistantBlock[],
  { wantsWords }: { readonly wantsWords: boolean },
): ReasoningLayout | undefined {
  const hasSignature = content.some(isSigned)
  if (!hasSignature && !(wantsWords && content.some(isReasoning))) return undefined
  const pieces: ReasoningPiece[] = []
  let bytes = 0
  let textsAfter = 0
  /** The loop runs from the last block to the first, so that the block after each piece is known. */
  let position: Omit<ReasoningPiece, 'block'> = {}
  const texts = content.filter(({ type }) => type === 'text').length
  for (const block of content.toReversed()) {
    if (isReasoning(block)) {
      pieces.push({ block, ...position })
      bytes += sizeOf(block)
      continue
    }
    if (block.type === 'text') textsAfter += 1
    position = insertBefore(block, texts - textsAfter)
  }
  const callIds = content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []))
  return { pieces: pieces.reverse(), callIds, bytes, isSigned: hasSignature }
}

function insertBefore(next: AssistantBlock, textsBefore: number): Omit<ReasoningPiece, 'block'> {
  if (next.type === 'tool-call') return { beforeCall: next.id }
  return next.type === 'text' ? { beforeText: textsBefore } : {}
}

/**
 * Puts reasoning back into its positions in a turn. A format may have joined several texts into one. A piece that was
 * before a text that no longer exists is then put before the next call or at the end.
 */
export function restoreReasoning(
  content: readonly AssistantBlock[],
  { pieces }: ReasoningLayout,
): readonly AssistantBlock[] {
  const restored: AssistantBlock[] = []
  const waiting = [...pieces]
  let textCount = 0
  const release = (isDue: (piece: ReasoningPiece) => boolean) => {
    const last = waiting.findLastIndex(isDue)
    restored.push(...waiting.splice(0, last + 1).map(({ block }) => block))
  }
  for (const block of content) {
    if (isReasoning(block)) continue
    if (block.type === 'tool-call') release(({ beforeCall }) => beforeCall === block.id)
    if (block.type === 'text') {
      const number = textCount
      release(({ beforeText }) => beforeText === number)
      textCount += 1
    }
    restored.push(block)
  }
  const [misplaced, atEnd] = [waiting.filter(isPlaced), waiting.filter((piece) => !isPlaced(piece))]
  // Providers refuse reasoning that no answer follows.
  restored.splice(Math.max(0, restored.length - 1), 0, ...misplaced.map(({ block }) => block))
  return [...restored, ...atEnd.map(({ block }) => block)]
}

function isPlaced({ beforeCall, beforeText }: ReasoningPiece): boolean {
  return beforeCall !== undefined || beforeText !== undefined
}

export function isReasoning(block: AssistantBlock): block is ThinkingBlock | RedactedThinkingBlock {
  return block.type === 'thinking' || block.type === 'redacted-thinking'
}

/** Whether the maker of the reasoning would recognize it. */
export function isSigned(block: AssistantBlock): boolean {
  return block.type === 'redacted-thinking' || (block.type === 'thinking' && block.signature !== undefined)
}

function sizeOf(block: ThinkingBlock | RedactedThinkingBlock): number {
  const own =
    block.type === 'thinking' ? block.text.length + (block.signature?.length ?? 0) : block.data.length
  return own + (block.extras === undefined ? 0 : JSON.stringify(block.extras.fields).length)
}
