import type { Block, MediaSource } from './content.ts'
import type { ChatRequest, Turn } from './request.ts'

/** The kinds of media that a request can contain as an address instead of bytes. */
export const mediaKinds = ['image', 'document', 'video'] as const
export type MediaKind = (typeof mediaKinds)[number]

export interface MediaAddress {
  readonly kind: MediaKind
  readonly url: string
}

/** Finds all addresses of these kinds in the content of users and tools. Each address is listed once for each kind. */
export function findAddresses(request: ChatRequest, kinds: readonly MediaKind[]): readonly MediaAddress[] {
  const found = new Map<string, MediaAddress>()
  for (const turn of request.turns) {
    for (const block of blocksOf(turn)) {
      const address = addressOf(block)
      if (address !== undefined && kinds.includes(address.kind)) {
        found.set(`${address.kind} ${address.url}`, address)
      }
    }
  }
  return [...found.values()]
}

/** Replaces addresses by other sources. An address stays where `sourceOf` returns undefined. */
export function replaceAddresses(
  request: ChatRequest,
  sourceOf: (address: MediaAddress) => MediaSource | undefined,
): ChatRequest {
  const replace = <Replaced extends Block>(block: Replaced): Replaced => {
    const address = addressOf(block)
    const source = address === undefined ? undefined : sourceOf(address)
    return source === undefined ? block : { ...block, source }
  }
  const turns = request.turns.map((turn): Turn => {
    if (turn.role === 'user') return { ...turn, content: turn.content.map(replace) }
    if (turn.role !== 'tool') return turn
    return {
      ...turn,
      results: turn.results.map((result) => ({ ...result, content: result.content.map(replace) })),
    }
  })
  return { ...request, turns }
}

function blocksOf(turn: Turn): readonly Block[] {
  if (turn.role === 'user') return turn.content
  return turn.role === 'tool' ? turn.results.flatMap(({ content }) => content) : []
}

function addressOf(block: Block): MediaAddress | undefined {
  if (block.type !== 'image' && block.type !== 'document' && block.type !== 'video') return undefined
  return block.source.type === 'url' ? { kind: block.type, url: block.source.url } : undefined
}
