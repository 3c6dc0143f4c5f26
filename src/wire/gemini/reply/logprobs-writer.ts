import type { LossList } from '../../../canonical/loss.ts'
import type { LogProbs } from '../../../canonical/reply.ts'
import { isJsonObject, type JsonObject, type JsonValue, objectsIn } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { isEntry } from './read-logprobs.ts'

/**
 * Writes the log probabilities of a candidate's tokens into a field of the candidate. An answer has tens of thousands
 * of tokens, so each is written when it arrives and not all at the end.
 */
export class LogprobsWriter {
  readonly #chosen: JsonObject[] = []
  readonly #top: JsonObject[] = []
  #hasContent = false
  #hasRefusal = false
  /** Whether writing the log probabilities and reading them again changes nothing. */
  #isSame = true

  add({ content, refusal }: LogProbs): void {
    this.#hasRefusal ||= refusal !== undefined
    if (content === undefined) return
    this.#hasContent = true
    for (const value of content) {
      const entry = isJsonObject(value) ? value : {}
      this.#chosen.push(writeToken(entry))
      this.#top.push({ candidates: writeTop(entry['top_logprobs']) })
      this.#isSame &&= isEntry(value)
    }
  }

  /** The field, after the last token. Declares a loss if writing and reading again would change the values. */
  finish(losses: LossList): JsonObject {
    if (this.#hasRefusal) losses.lose('logprobs', 'dropped')
    if (!this.#hasContent) return {}
    const [chosenCandidates, topCandidates] = [this.#chosen, this.#top]
    if (chosenCandidates.length === 0 || !this.#isSame) losses.lose('logprobs', 'approximated')
    return { logprobsResult: { chosenCandidates, topCandidates } }
  }
}

function writeTop(top: JsonValue | undefined): readonly JsonObject[] {
  return objectsIn(top).map(writeToken)
}

function writeToken({ token, logprob, token_id: tokenId }: JsonObject): JsonObject {
  // Nearly all tokens have this shape.
  if (token !== undefined && logprob !== undefined && tokenId === undefined)
    return { token, logProbability: logprob }
  const named = tokenId === undefined ? { token } : { token, tokenId }
  return omitUndefined({ ...named, logProbability: logprob })
}
