import { watchedWords } from '../../../kit/json/watched-words.ts'
import { type SpendingTerms, termsWithoutOutput } from '../../spending-terms.ts'
import { type BodySearch, fieldsMayHold } from '../../verbatim/find-in-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** Inputs of this format are texts and tokens. Servers that also embed media accept objects, such as Jina and vLLM. */
const objectInput: BodySearch = {
  words: watchedWords({ names: ['content', 'text', 'image', 'image_url', 'video', 'audio', 'type'] }),
  pattern: /"(?:content|text|image|image_url|video|audio|type)"\s*:/,
}

export function readSpendingTerms(scanned: ScannedRequest): SpendingTerms {
  return { ...termsWithoutOutput, hasMedia: () => fieldsMayHold(scanned, ['input'], objectInput) }
}
