import type { UsageSumsView } from '../../../../src/admin/ledger/usage-contract.ts'

/** All that went in, from cache and fresh. */
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

/** The share of the input that came from the providers' caches; undefined where there was no input. */
export function cacheShare(sums: UsageSumsView): number | undefined {
  const input = inputTokens(sums)
  return input === 0 ? undefined : sums.usage.cache_read_tokens / input
}

/** The change against before, as a share; undefined where there was nothing before. */
export function changeOf(now: number | undefined, before: number | undefined): number | undefined {
  return now === undefined || before === undefined || before === 0 ? undefined : now / before - 1
}
