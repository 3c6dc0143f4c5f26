import { watchedWords } from '../../../kit/json/watched-words.ts'
import { possibleTiers } from '../../requested-tier.ts'
import { type SpendingTerms, termsWithoutOutput } from '../../spending-terms.ts'
import { type BodySearch, fieldsMayHold } from '../../verbatim/find-in-body.ts'
import { capOf, readInnerField, readSent } from '../../verbatim/read-count.ts'
import type { ScannedRequest } from '../../wire-format.ts'

const words = watchedWords({ names: ['images'] })
const imageList: BodySearch = { words, pattern: /"images"\s*:\s*\[\s*"/ }
const anyText: BodySearch = { words, pattern: /"/ }

/** A cap below 1 means "without limit". Channels do not get such a cap. */
export function readSpendingTerms(scanned: ScannedRequest): SpendingTerms {
  return {
    ...termsWithoutOutput,
    maxOutputTokens: capOf([readInnerField(readSent(scanned, 'options'), 'num_predict')]),
    canBeCapped: true,
    serviceTiers: possibleTiers('chat', undefined),
    hasMedia: () =>
      fieldsMayHold(scanned, ['messages'], imageList) || fieldsMayHold(scanned, ['images'], anyText),
  }
}
