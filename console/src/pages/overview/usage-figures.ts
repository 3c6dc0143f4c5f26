import type { UsageSumsView } from '../../../../src/admin/ledger/usage-contract.ts'

/** All input tokens, cached or not. */
export function inputTokens({ usage }: UsageSumsView): number {
  return (
    usage.fresh_input_tokens +
    usage.cache_read_tokens +
    usage.cache_write_short_tokens +
    usage.cache_write_long_tokens
  )
}

export function outputTokens({ usage }: UsageSumsView): number {
  return usage.output_tokens
}

/** The share of the input that was read from the providers' caches. Undefined without any input. */
export function cacheShare(sums: UsageSumsView): number | undefined {
  const input = inputTokens(sums)
  return input === 0 ? undefined : sums.usage.cache_read_tokens / input
}

/** The relative change from the previous value. Undefined if either value is unknown or the previous one is zero. */
export function changeOf(now: number | undefined, before: number | undefined): number | undefined {
  return now === undefined || before === undefined || before === 0 ? undefined : now / before - 1
}
