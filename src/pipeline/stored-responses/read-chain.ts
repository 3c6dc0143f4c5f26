import type { KeyId } from '../../access/key.ts'
import type { ResponseOwner } from '../../stored-answers/stored-response.ts'
import { hasEnded, type ItemGroup, outputOf, readStored } from '../exchange/stored-conversation.ts'
import type { FindableResponses } from './conversation-memory.ts'

/** A chain of responses, each of which continues the one before. */
export interface Chain {
  /** The IDs of the responses, the latest first. */
  readonly ids: readonly string[]
  /** The owner of the latest response. */
  readonly owner: ResponseOwner | undefined
  /** The whole conversation in order; undefined where parts of it are not stored. */
  readonly groups: readonly ItemGroup[] | undefined
}

/**
 * The maximum length of a chain, which limits the steps of a read. After that, a response stores its whole
 * conversation.
 */
export const MAX_LINKS = 32
/** The maximum number of characters in a chain, equal to that of the largest request. */
const MAX_CHARACTERS = 64 * 1024 ** 2

/** Reads the chain that ends in the latest response. `unknown` where the key has no such response. */
export async function readChain(
  { keyId, responses }: { readonly keyId: KeyId; readonly responses: FindableResponses },
  latestId: string,
): Promise<Chain | 'unknown'> {
  const ids: string[] = []
  let owner: ResponseOwner | undefined
  let groups: readonly ItemGroup[] | undefined = []
  let characters = 0
  for (let id: string | undefined = latestId; id !== undefined; ) {
    const stored = await responses.find(keyId, id)
    if (stored === undefined && ids.length === 0) return 'unknown'
    const read = stored === undefined ? undefined : readStored(stored)
    if (ids.length === 0) owner = stored?.owner
    if (stored?.content.type === 'present')
      characters += stored.content.input.length + stored.content.response.length
    const isWhole = read !== undefined && hasEnded(read.response)
    if (stored === undefined || !isWhole || ids.length > MAX_LINKS || characters > MAX_CHARACTERS) {
      return { ids: stored === undefined ? ids : [...ids, id], owner, groups: undefined }
    }
    ids.push(id)
    groups = [...read.input.groups, outputOf(read), ...groups]
    id = stored.previousId
  }
  return { ids, owner, groups }
}
