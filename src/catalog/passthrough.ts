import type { PassthroughMethod } from '../canonical/operations/passthrough-method.ts'
import type { PriceVersion } from './prices/price.ts'

/** The price of a call under a rule. */
export type PassthroughPrice =
  /** It is not known: the call is served to callers without a limit in money alone. */
  | { readonly type: 'unknown' }
  /** One price for each call that the provider accepts. */
  | { readonly type: 'flat'; readonly version: PriceVersion }
  /** The usage that the answer states decides, at the price of the model that the request names. */
  | { readonly type: 'usage' }

/** Paths of a channel's provider that callers may ask as they are. */
export interface PassthroughRule {
  /** The path as the operator writes it, below the channel's base address; names the calls in rows. */
  readonly path: string
  /** Undefined where every method is allowed. */
  readonly methods: readonly PassthroughMethod[] | undefined
  readonly price: PassthroughPrice
}

/** The tool by whose name a flat price counts the calls. */
export const FLAT_CALL = 'passthrough_call'

export interface MatchedRule {
  readonly rule: PassthroughRule
  /** The text that the first star stands for; undefined where the path has no star. */
  readonly named: string | undefined
}

/**
 * The first rule that allows a method on a path. A star stands for one segment or a part of it, two stars at the end
 * for one segment or more. Segments are decoded.
 */
export function matchPassthrough(
  rules: readonly PassthroughRule[],
  method: PassthroughMethod,
  segments: readonly string[],
): MatchedRule | undefined {
  for (const rule of rules) {
    if (rule.methods !== undefined && !rule.methods.includes(method)) continue
    const stars = matchPath(rule.path.slice(1).split('/'), segments)
    if (stars !== undefined) return { rule, named: stars[0] }
  }
  return undefined
}

function matchPath(wanted: readonly string[], segments: readonly string[]): readonly string[] | undefined {
  const hasRest = wanted.at(-1) === '**'
  if (hasRest ? segments.length < wanted.length : segments.length !== wanted.length) return undefined
  const stars: string[] = []
  for (const [index, want] of wanted.entries()) {
    const segment = segments[index] ?? ''
    if (want === '**') return [...stars, segments.slice(index).join('/')]
    const star = matchSegment(want, segment)
    if (star === undefined) return undefined
    stars.push(...star)
  }
  return stars
}

function matchSegment(want: string, segment: string): readonly string[] | undefined {
  const at = want.indexOf('*')
  if (at === -1) return want === segment ? [] : undefined
  const [before, after] = [want.slice(0, at), want.slice(at + 1)]
  const isLongEnough = segment.length > before.length + after.length
  if (!isLongEnough || !segment.startsWith(before) || !segment.endsWith(after)) return undefined
  return [segment.slice(before.length, segment.length - after.length)]
}
