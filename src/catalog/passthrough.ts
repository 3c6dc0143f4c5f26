import type { PassthroughMethod } from '../canonical/operations/passthrough-method.ts'
import type { PriceVersion } from './prices/price.ts'

/** The price of a call under a rule. */
export type PassthroughPrice =
  /** The price is unknown. The call is served only to callers without a spending limit. */
  | { readonly type: 'unknown' }
  /** A fixed price for each call that the provider accepts. */
  | { readonly type: 'flat'; readonly version: PriceVersion }
  /** The price follows from the usage that the answer states, at the rates of the model that the request names. */
  | { readonly type: 'usage' }

/** Paths of a channel's provider that callers may call unchanged. */
export interface PassthroughRule {
  /** The path as the operator writes it, below the channel's base address. It names the calls in ledger rows. */
  readonly path: string
  /** Undefined where every method is allowed. */
  readonly methods: readonly PassthroughMethod[] | undefined
  readonly price: PassthroughPrice
}

/** The tool name under which calls with a flat price are counted. */
export const FLAT_CALL = 'passthrough_call'

export interface MatchedRule {
  readonly rule: PassthroughRule
  /** The text that matches the first star. Undefined where the path has no star. */
  readonly named: string | undefined
}

/**
 * Finds the first rule that allows a method on a path. A star matches one segment or a part of it. Two stars at the end
 * match one segment or more. Segments are decoded before the match.
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
