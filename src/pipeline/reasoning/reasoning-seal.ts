import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { packReasoning, SEALED_PREFIX, unpackReasoning } from '../../canonical/carried-reasoning.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from '../../canonical/content.ts'

export type SealableReasoning = ThinkingBlock | RedactedThinkingBlock

/** The scope of a sealed signature: the key that may return it, and the account that may receive it. */
export interface SealScope {
  readonly keyId: string
  /** The account that `ReasoningSeal.accountOf` returns. */
  readonly account: string
}

/**
 * Seals the signatures of reasoning for callers to return. A provider refuses a request because of a single signature
 * that it did not make itself. So a provider gets only signatures that it gave to the same caller, unchanged.
 */
export interface ReasoningSeal {
  /**
   * A name for an account at a provider that does not reveal the account. All keys of a channel are assumed to belong
   * to one account.
   */
  accountOf(channel: { readonly name: string; readonly provider: string; readonly baseUrl: string }): string
  /**
   * Returns `~headgate.2.<account>.<mac>.<packed reasoning>`. The text of the reasoning is not part of it, but bound to
   * it.
   */
  seal(block: SealableReasoning, scope: SealScope): string
  /** Undefined if the signature was forged or changed, or was sealed for another caller or account. Never throws. */
  open(signature: string, text: string, scope: SealScope): SealableReasoning | undefined
}

const KEY_BYTES = 32
const ACCOUNT_CHARACTERS = 12
/** The length of the MAC: 128 bits, which are too many to guess. */
const MAC_CHARACTERS = 22

/** Creates the seal. `secret` is any text. It is the same in all processes that serve a caller. */
export function createReasoningSeal(secret: string): ReasoningSeal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'headgate carried state', KEY_BYTES))
  const digest = (parts: readonly string[], characters: number) => {
    const hmac = createHmac('sha256', key)
    // The length of each part keeps the parts separate.
    for (const part of parts) hmac.update(`${part.length}:`).update(part)
    return hmac.digest('base64url').slice(0, characters)
  }
  return {
    accountOf: ({ name, provider, baseUrl }) =>
      digest(['account', name, provider, baseUrl], ACCOUNT_CHARACTERS),
    seal(block, { keyId, account }) {
      const packed = packReasoning(block)
      const text = block.type === 'thinking' ? block.text : ''
      const mac = digest(['proof', keyId, account, packed, text], MAC_CHARACTERS)
      return `${SEALED_PREFIX}${account}.${mac}.${packed}`
    },
    open(signature, text, { keyId, account }) {
      const start = `${SEALED_PREFIX}${account}.`
      if (!signature.startsWith(start)) return undefined
      const packed = signature.slice(start.length + MAC_CHARACTERS + 1)
      const mac = digest(['proof', keyId, account, packed, text], MAC_CHARACTERS)
      if (!isSame(signature, `${start}${mac}.${packed}`)) return undefined
      return unpackReasoning(packed, text)
    },
  }
}

function isSame(given: string, own: string): boolean {
  const givenBytes = Buffer.from(given, 'utf8')
  const ownBytes = Buffer.from(own, 'utf8')
  return givenBytes.length === ownBytes.length && timingSafeEqual(givenBytes, ownBytes)
}
