import { isSealedSignature } from '../../canonical/carried-reasoning.ts'
import type { AssistantBlock } from '../../canonical/content.ts'
import { createLossList, type Loss, type LossFeature, type LossList } from '../../canonical/loss.ts'
import type { Reply } from '../../canonical/reply.ts'
import type { Turn } from '../../canonical/request.ts'
import { type Hash, hashText, mixHashes } from '../../kit/bytes/hash.ts'
import { parseJson } from '../../kit/json/parse-json.ts'
import type { CachedReasoning, ReasoningCache } from './reasoning-cache.ts'
import {
  isReasoning,
  isSigned,
  layOutReasoning,
  type ReasoningLayout,
  restoreReasoning,
} from './reasoning-layout.ts'
import type { ReasoningSeal, SealableReasoning, SealScope } from './reasoning-seal.ts'

/** The state of reasoning that is shared by all requests. */
export interface ReasoningContinuity {
  readonly seal: ReasoningSeal
  readonly cache: ReasoningCache
}

export interface OpenedTurns {
  readonly turns: readonly Turn[]
  readonly losses: readonly Loss[]
}

export interface ConversationSoFar {
  /** The caller's turns as they were read. */
  readonly turns: readonly Turn[]
  /** Whether the target wants its reasoning back even without a signature. */
  readonly wantsWords: boolean
  /** Whether the caller's client may return calls without their IDs. */
  readonly dropsCallIds?: boolean
}

/**
 * Returns reasoning to the account that made it. Either the client returns it sealed, or it is stored here and found by
 * the calls next to it. An account gets only the reasoning of its own answers to this caller. Each attempt has its own
 * carrier.
 */
export class ReasoningCarrier {
  readonly #state: ReasoningContinuity
  readonly #scope: SealScope
  readonly #turns: readonly Turn[]
  readonly #wantsWords: boolean
  readonly #dropsCallIds: boolean
  /** The hash of the words of the first so many turns. */
  readonly #hashes: Hash[] = [hashText('')]

  constructor(state: ReasoningContinuity, scope: SealScope, soFar: ConversationSoFar) {
    this.#state = state
    this.#scope = scope
    this.#turns = soFar.turns
    this.#wantsWords = soFar.wantsWords
    this.#dropsCallIds = soFar.dropsCallIds ?? false
  }

  /**
   * The turns as the target's account may see them. With `keepsOwn`, caller and channel share a format, so that
   * signatures that are not sealed are the channel's own.
   */
  openTurns(keepsOwn: boolean): OpenedTurns {
    const losses = createLossList()
    const callIds = new Map<string, string>()
    const turns = this.#turns.map((turn, index) => {
      if (turn.role === 'tool') return nameResults(turn, callIds)
      if (turn.role !== 'assistant') return turn
      const content = this.#openContent(turn.content, index, { keepsOwn, losses, callIds })
      return content === turn.content ? turn : { ...turn, content }
    })
    return { turns, losses: losses.all }
  }

  #openContent(
    content: readonly AssistantBlock[],
    index: number,
    { keepsOwn, losses, callIds }: OpenedSoFar,
  ): readonly AssistantBlock[] {
    const stripped: LossFeature[] = []
    const opened = content.flatMap((block) => {
      if (!isReasoning(block)) return [block]
      const signature = signatureOf(block)
      if (signature === undefined || (keepsOwn && !isSealedSignature(signature))) return [block]
      const own = this.#state.seal.open(signature, wordsOf(block), this.#scope)
      return own === undefined ? strip(block, stripped) : [own]
    })
    const found = opened.some(isSigned) ? undefined : this.#find(content, index)
    const cached = found !== undefined && this.#isWanted(found, opened) ? found : undefined
    if (cached !== undefined && cached.account === this.#scope.account) {
      return restoreReasoning(nameCalls(opened, cached.layout, callIds), cached.layout)
    }
    if (cached !== undefined) stripped.push('thinking')
    for (const feature of stripped) losses.lose(feature, 'dropped')
    return opened.every((block, at) => block === content[at]) ? content : opened
  }

  /**
   * Whether cached reasoning is restored. Text that the client returned itself, or that the target cannot use, is not.
   */
  #isWanted({ layout }: CachedReasoning, opened: readonly AssistantBlock[]): boolean {
    return layout.isSigned || (this.#wantsWords && !opened.some(isReasoning))
  }

  #find(content: readonly AssistantBlock[], index: number) {
    const { keyId } = this.#scope
    const { cache } = this.#state
    if (!cache.holds(keyId)) return undefined
    const fingerprint = fingerprintToolCalls(this.#turns[index - 1], content)
    const callId = firstCallOf(content)
    if (fingerprint === undefined || callId === undefined) return undefined
    const found = cache.find({ keyId, callId, fingerprint })
    if (found !== undefined || !this.#dropsCallIds) return found
    return cache.find({ keyId, callId: this.#idOfWords(index), fingerprint })
  }

  /** An ID for the first call after so many turns, for clients that drop the real one: the words of all these turns. */
  #idOfWords(count: number): string {
    for (const turn of this.#turns.slice(this.#hashes.length - 1, count)) {
      const before = this.#hashes.at(-1) ?? hashText('')
      this.#hashes.push(mixHashes(before, hashText(`${turn.role} ${writeSaid(turn)}`)))
    }
    return `words ${this.#hashes[count] ?? ''}`
  }

  sealReply(reply: Reply): Reply {
    const choices = reply.choices.map((choice) => {
      this.keep(choice.content)
      const content = choice.content.map((block) => (isReasoning(block) ? this.#sealBlock(block) : block))
      return { ...choice, content }
    })
    return { ...reply, choices }
  }

  /** The signature in the form that the caller receives. */
  seal(block: SealableReasoning): string {
    return this.#state.seal.seal(block, this.#scope)
  }

  #sealBlock(block: SealableReasoning): SealableReasoning {
    if (signatureOf(block) === undefined) return block
    return block.type === 'thinking'
      ? { ...block, signature: this.seal(block) }
      : { ...block, data: this.seal(block) }
  }

  /** Stores the reasoning of an answer that calls tools, for clients that return no reasoning. */
  keep(content: readonly AssistantBlock[]): void {
    const callId = firstCallOf(content)
    const layout =
      callId === undefined ? undefined : layOutReasoning(content, { wantsWords: this.#wantsWords })
    const fingerprint = fingerprintToolCalls(this.#turns.at(-1), content)
    if (callId === undefined || layout === undefined || fingerprint === undefined) return
    const { keyId, account } = this.#scope
    this.#state.cache.keep({ keyId, callId, fingerprint }, { account, layout })
    if (!this.#dropsCallIds) return
    const id = this.#idOfWords(this.#turns.length)
    this.#state.cache.keep({ keyId, callId: id, fingerprint }, { account, layout })
  }
}

interface OpenedSoFar {
  readonly keepsOwn: boolean
  readonly losses: LossList
  /** The IDs that calls have again, by the IDs with which they came back. */
  readonly callIds: Map<string, string>
}

/** Gives calls that came back without their IDs the ones that they had, by which their reasoning is placed. */
function nameCalls(
  content: readonly AssistantBlock[],
  { callIds }: ReasoningLayout,
  renamed: Map<string, string>,
): readonly AssistantBlock[] {
  const calls = content.filter((block) => block.type === 'tool-call')
  if (calls.every(({ id }, at) => id === callIds[at])) return content
  for (const [at, { id }] of calls.entries()) renamed.set(id, callIds[at] ?? id)
  return content.map((block) =>
    block.type === 'tool-call' ? { ...block, id: renamed.get(block.id) ?? block.id } : block,
  )
}

function nameResults(turn: Extract<Turn, { role: 'tool' }>, renamed: ReadonlyMap<string, string>): Turn {
  if (renamed.size === 0) return turn
  const results = turn.results.map((result) => ({
    ...result,
    callId: renamed.get(result.callId) ?? result.callId,
  }))
  return { ...turn, results }
}

function signatureOf(block: SealableReasoning): string | undefined {
  return block.type === 'thinking' ? block.signature : block.data
}

function wordsOf(block: SealableReasoning): string {
  return block.type === 'thinking' ? block.text : ''
}

function firstCallOf(content: readonly AssistantBlock[]): string | undefined {
  return content.find((block) => block.type === 'tool-call')?.id
}

/** Keeps the text and drops its signature. */
function strip(block: SealableReasoning, stripped: LossFeature[]): readonly AssistantBlock[] {
  if (block.type === 'thinking' && block.text !== '') {
    stripped.push('thinking-signature')
    return [{ type: 'thinking', text: block.text }]
  }
  stripped.push(block.type === 'thinking' ? 'thinking' : 'redacted-thinking')
  return []
}

/**
 * Distinguishes an answer that called tools from others whose calls have the same IDs, by the turn before it and by its
 * calls. The fingerprint is the same when the caller returns the answer, since both are read by the same reader.
 * Undefined for an answer without calls.
 */
function fingerprintToolCalls(
  before: Turn | undefined,
  content: readonly AssistantBlock[],
): number | undefined {
  const calls = content.filter((block) => block.type === 'tool-call')
  if (calls.length === 0) return undefined
  let fingerprint = hashText(before === undefined ? '' : writeSaid(before))
  for (const { name, input } of calls)
    fingerprint = mixHashes(fingerprint, hashText(`${name} ${normalise(input)}`))
  return fingerprint
}

/** The number of characters that are read from each text. Its length represents the rest. */
const MAX_CHARACTERS = 1_024

/** Writes the texts of a turn. Pictures and cache marks are ignored, since clients leave them out or move them. */
function writeSaid(turn: Turn): string {
  const blocks = turn.role === 'tool' ? turn.results.flatMap(({ content }) => content) : turn.content
  const texts = blocks.map((block) => (block.type === 'text' ? block.text : ''))
  return texts.map((text) => `${text.length} ${text.slice(0, MAX_CHARACTERS)}`).join('\n')
}

/** Normalizes a call's input. Formats that write calls as objects return them with other spacing. */
function normalise(input: string): string {
  try {
    return JSON.stringify(parseJson(input === '' ? '{}' : input))
  } catch {
    // Text that is not JSON, or is too deeply nested to be written again, is compared unchanged.
    return input
  }
}
