import { inputClasses, outputClasses, type PriceVersion, type RateClass } from '../../catalog/prices/price.ts'
import type { CacheMarks, SpendingTerms } from '../../wire/spending-terms.ts'

type Terms = Pick<SpendingTerms, 'asksForAudio' | 'cacheMarks'>

interface KindInput {
  /** Whether the input may be anything but the text of the body. */
  readonly hasMore: boolean
  readonly price: PriceVersion
}

/** The terms that decide for which classes a request may be billed. */
interface RequestKind {
  readonly asksForAudio: boolean
  /** Whether the input may be anything but text. */
  readonly hasMore: boolean
  readonly marks: CacheMarks
}

/** The classes of each kind of request, by its index. There are twelve kinds. */
const cache: (ReadonlySet<RateClass> | undefined)[] = []
const marksIndex: Readonly<Record<CacheMarks, number>> = { none: 0, short: 1, long: 2 }

/** The classes for which a request may be billed. Input that the request does not describe can be of any class. */
export function possibleClasses(terms: Terms, { hasMore, price }: KindInput): ReadonlySet<RateClass> {
  const { asksForAudio } = terms
  const marks = price.cachesMarkedOnly === true ? terms.cacheMarks() : 'long'
  const index = 4 * marksIndex[marks] + (hasMore ? 2 : 0) + (asksForAudio ? 1 : 0)
  const cached = cache[index]
  if (cached !== undefined) return cached
  const classes = new Set<RateClass>([...inputClasses, ...outputClasses])
  for (const each of impossibleClasses({ asksForAudio, hasMore, marks })) classes.delete(each)
  cache[index] = classes
  return classes
}

function* impossibleClasses({ asksForAudio, hasMore, marks }: RequestKind): Generator<RateClass> {
  if (!asksForAudio) yield 'outputAudio'
  if (!hasMore) yield* ['inputAudio', 'inputImage', 'cacheReadAudio']
  if (marks !== 'long') yield 'cacheWriteLong'
  if (marks === 'none') yield 'cacheWrite'
}
