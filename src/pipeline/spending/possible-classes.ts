import { inputClasses, outputClasses, type PriceVersion, type RateClass } from '../../catalog/prices/price.ts'
import type { SpendingTerms } from '../../wire/spending-terms.ts'

type Terms = Pick<SpendingTerms, 'asksForAudio' | 'hasMedia' | 'hasStoredInput' | 'cacheMarks'>

/** What a request may be billed for; what it does not say can be any class. */
export function possibleClasses(terms: Terms, price: PriceVersion): ReadonlySet<RateClass> {
  const classes = new Set<RateClass>([...inputClasses, ...outputClasses])
  for (const each of impossibleClasses(terms, price)) classes.delete(each)
  return classes
}

function* impossibleClasses(terms: Terms, price: PriceVersion): Generator<RateClass> {
  if (!terms.asksForAudio) yield 'outputAudio'
  if (!terms.hasMedia() && !terms.hasStoredInput()) yield* ['inputAudio', 'inputImage', 'cacheReadAudio']
  if (price.cachesMarkedOnly !== true) return
  const marks = terms.cacheMarks()
  if (marks !== 'long') yield 'cacheWriteLong'
  if (marks === 'none') yield 'cacheWrite'
}
