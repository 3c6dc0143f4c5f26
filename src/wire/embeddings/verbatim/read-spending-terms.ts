import { watchedWords } from '../../../kit/json/watched-words.ts'
import { type SpendingTerms, termsWithoutOutput } from '../../spending-terms.ts'
import { type BodySearch, fieldsMayHold } from '../../verbatim/find-in-body.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** Inputs of this format are texts and tokens; servers that embed more take objects, as Jina and vLLM do. */
const objectInput: BodySearch = {
  words: watchedWords({ names: ['content', 'text', 'image', 'image_url', 'video', 'audio', 'type'] }),
  pattern: /"(?:content|text|image|image_url|video|audio|type)"\s*:/,
}

export function readSpendingTerms(scanned: ScannedRequest): SpendingTerms {
  return { ...termsWithoutOutput, hasMedia: () => fieldsMayHold(scanned, ['input'], objectInput) }
}
