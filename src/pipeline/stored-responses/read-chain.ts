import type { KeyId } from '../../access/key.ts'
import type { ResponseOwner } from '../../stored-answers/stored-response.ts'
import { hasEnded, type ItemGroup, outputOf, readStored } from '../exchange/stored-conversation.ts'
import type { FindableResponses } from './conversation-memory.ts'

/** Responses of which each goes on from the one before. */
export interface Chain {
  /** The IDs, the latest first. */
  readonly ids: readonly string[]
  /** The owner of the latest response. */
  readonly owner: ResponseOwner | undefined
  /** The whole conversation, in order; undefined where parts of it are not stored. */
  readonly groups: readonly ItemGroup[] | undefined
}

/** The longest chain: the next response stores its whole conversation, which bounds the steps of a read. */
export const MAX_LINKS = 32
/** The most characters that a chain may have, as many as the largest request may bring. */
const MAX_CHARACTERS = 64 * 1024 ** 2

/** `unknown` where the key has no such response. */
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
