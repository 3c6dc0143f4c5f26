import { isJsonArray } from '../../../kit/json/json.ts'
import { possibleTiers } from '../../requested-tier.ts'
import { type SpendingTerms, termsWithoutOutput } from '../../spending-terms.ts'
import { capOf, countOf, readSent } from '../../verbatim/read-count.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** `best_of` answers are generated and billed for each prompt. The caller sees `n` of them. */
export function readSpendingTerms(scanned: ScannedRequest): SpendingTerms {
  const sent = (name: string) => readSent(scanned, name)
  const choices = Math.max(countOf(sent('n')), countOf(sent('best_of')))
  return {
    ...termsWithoutOutput,
    maxOutputTokens: capOf([sent('max_tokens')], 0),
    canBeCapped: true,
    choices: countOf(choices * countPrompts(sent('prompt'))),
    serviceTiers: possibleTiers('chat', sent('service_tier')),
  }
}

/** A list of numbers is one prompt. */
function countPrompts(prompt: unknown): number {
  return isJsonArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(1, prompt.length) : 1
}
